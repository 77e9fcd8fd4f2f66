import boto3

s3 = boto3.client(
    "s3",
    endpoint_url="http://127.0.0.1:5577",
    region_name="us-east-1",
    aws_access_key_id="key",
    aws_secret_access_key="secret",
)
print(s3.get_object(Bucket="words", Key="total.txt")["Body"].read().decode())
