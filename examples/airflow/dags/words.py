"""Counts words on Muster: Pods and Jobs, waited for by a worker or, deferrable, by the triggerer."""

from datetime import datetime
from os import environ

from airflow.providers.cncf.kubernetes.operators.job import KubernetesDeleteJobOperator, KubernetesJobOperator
from airflow.providers.cncf.kubernetes.operators.pod import KubernetesPodOperator
from airflow.sdk import DAG

SHELL = ["sh", "-c"]
# The operators read `~/.kube/config`, or a connection, but not $KUBECONFIG.
MUSTER = {"config_file": environ["KUBECONFIG"], "namespace": "default", "image": "busybox"}

with DAG("words", start_date=datetime(2026, 1, 1), schedule=None) as dag:
    split = KubernetesPodOperator(
        task_id="split",
        **MUSTER,
        cmds=SHELL,
        arguments=["mkdir -p parts && tr -cs a-z '\\n' < text.txt | split -l 3 -d -a 1 - parts/ && ls parts"],
    )
    count = KubernetesJobOperator(
        task_id="count",
        **MUSTER,
        name="count-words",
        cmds=SHELL,
        arguments=["wc -l < parts/$JOB_COMPLETION_INDEX | tee counts.$JOB_COMPLETION_INDEX"],
        completions=4,
        parallelism=4,
        completion_mode="Indexed",
        wait_until_job_complete=True,
        job_poll_interval=1,
    )
    longest = KubernetesJobOperator(
        task_id="longest",
        **MUSTER,
        cmds=SHELL,
        arguments=["cat parts/* | awk 'length > length(most) { most = $0 } END { print most }' | tee longest.txt"],
        wait_until_job_complete=True,
        job_poll_interval=1,
        deferrable=True,
    )
    total = KubernetesPodOperator(
        task_id="total",
        **MUSTER,
        cmds=SHELL,
        arguments=["cat counts.* | awk '{ sum += $1 } END { print sum }' | tee total.txt"],
        deferrable=True,
        poll_interval=1,
    )
    clean = KubernetesDeleteJobOperator(
        task_id="clean",
        config_file=MUSTER["config_file"],
        namespace="default",
        name="{{ ti.xcom_pull(task_ids='count', key='job_name') }}",
    )
    split >> [count, longest] >> total >> clean
