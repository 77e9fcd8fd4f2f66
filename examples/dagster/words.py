"""Each run is a Job of Muster (home/dagster.yaml), and so is each step; steps run Jobs and Pods of their own."""

from dagster import AssetExecutionContext, Definitions, In, asset, define_asset_job, job, op
from dagster_k8s import PipesK8sClient, execute_k8s_job, k8s_job_executor, k8s_job_op

steps = k8s_job_executor.configured({"load_incluster_config": False, "job_image": "dagster", "max_concurrent": 4})


@op
def words() -> list[str]:
    return ["one", "three", "eleven"]


@op(ins={"texts": In(list[str])})
def lengths(context, texts):
    """An Indexed Job: Dagster waits for the first of its Pods, and then for the Job."""
    execute_k8s_job(
        context,
        image="busybox",
        command=["sh", "-c"],
        args=[f"set -- {' '.join(texts)}; shift $JOB_COMPLETION_INDEX; printf %s $1 | wc -c > length.$JOB_COMPLETION_INDEX"],
        job_spec_config={"completions": len(texts), "parallelism": len(texts), "completion_mode": "Indexed"},
        load_incluster_config=False,
    )


total = k8s_job_op.configured(
    {
        "image": "busybox",
        "command": ["sh", "-c"],
        "args": ["cat length.* | awk '{ sum += $1 } END { print sum }' | tee total.txt"],
        "load_incluster_config": False,
    },
    name="total",
)


@job(executor_def=steps)
def count():
    total(lengths(words()))


@asset
def report(context: AssetExecutionContext, pipes: PipesK8sClient):
    """A Pod that reports what it has made: see report.py."""
    pod = {"containers": [{"name": "report", "image": "python", "command": ["python", "report.py"]}]}
    return pipes.run(context=context, base_pod_spec=pod).get_materialize_result()


definitions = Definitions(
    assets=[report],
    jobs=[count, define_asset_job("publish", [report])],
    resources={"pipes": PipesK8sClient(load_incluster_config=False, poll_interval=0.5)},
)
