process COUNT {
  input:
  path text

  output:
  stdout

  script:
  "wc -w < $text"
}

process SUM {
  input:
  val counts

  output:
  stdout

  script:
  "expr ${counts*.trim().join(' + ')}"
}

workflow {
  COUNT(Channel.fromPath(params.texts)) | collect | SUM | view
}
