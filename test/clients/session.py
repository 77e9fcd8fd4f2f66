"""What a person does with Kubernetes' Python client. Usage: session.py KUBECONFIG; prints what it has seen as JSON."""

import json
import sys
import time

from kubernetes import client, config, dynamic, utils, watch
from kubernetes.client.rest import ApiException

NAMESPACE = "default"
SECONDS = 120


def manifest(name, script, **spec):
    return {
        "apiVersion": "batch/v1",
        "kind": "Job",
        "metadata": {"name": name},
        "spec": {
            **spec,
            "template": {
                "spec": {
                    "restartPolicy": "Never",
                    "containers": [{"name": "main", "image": "busybox", "command": ["sh", "-c", script]}],
                }
            },
        },
    }


def until(look, wanted):
    """The first answer of `look` that `wanted` holds for."""
    end = time.monotonic() + SECONDS
    while True:
        seen = look()
        if wanted(seen):
            return seen
        if time.monotonic() > end:
            raise TimeoutError(f"still {seen}")
        time.sleep(0.1)


def is_complete(job):
    return any(each.type == "Complete" and each.status == "True" for each in job.status.conditions or [])


def run_to_completion(api, batch, core):
    utils.create_from_dict(api, manifest("sums", "echo index $JOB_COMPLETION_INDEX", completionMode="Indexed", completions=3, parallelism=3), namespace=NAMESPACE)
    listed = batch.list_namespaced_job(NAMESPACE)
    watcher = watch.Watch()
    kinds = []
    for event in watcher.stream(
        batch.list_namespaced_job, NAMESPACE, resource_version=listed.metadata.resource_version if is_complete(listed.items[0]) else None
    ):
        kinds.append(event["type"])
        if event["object"].metadata.name == "sums" and is_complete(event["object"]):
            watcher.stop()
    job = batch.read_namespaced_job("sums", NAMESPACE)
    pods = core.list_namespaced_pod(NAMESPACE, label_selector="job-name=sums").items
    logs = sorted(core.read_namespaced_pod_log(pod.metadata.name, NAMESPACE) for pod in pods)
    followed = [line for line in watch.Watch().stream(core.read_namespaced_pod_log, pods[0].metadata.name, NAMESPACE)]
    return {
        "listed": [each.metadata.name for each in listed.items],
        "kinds": sorted(set(kinds)),
        "succeeded": job.status.succeeded,
        "indexes": job.status.completed_indexes,
        "phases": sorted({pod.status.phase for pod in pods}),
        "logs": logs,
        "followed": len(followed),
    }


def change(batch):
    held = manifest("held", "exec sleep 300", completionMode="Indexed", completions=2, parallelism=2)
    batch.create_namespaced_job(NAMESPACE, held)
    active = lambda: batch.read_namespaced_job("held", NAMESPACE).status.active or 0
    until(active, lambda seen: seen == 2)
    suspended = batch.patch_namespaced_job("held", NAMESPACE, {"spec": {"suspend": True}}).spec.suspend
    until(active, lambda seen: seen == 0)
    batch.patch_namespaced_job("held", NAMESPACE, [{"op": "replace", "path": "/spec/suspend", "value": False}])
    until(active, lambda seen: seen == 2)
    replaced, before = until(lambda: relabelled(batch), lambda done: done is not None)
    return {"suspended": suspended, "label": replaced.metadata.labels["team"], "same_spec": replaced.metadata.generation == before}


def relabelled(batch):
    """Read, change, write; None if somebody (the Job's own progress) wrote between."""
    job = batch.read_namespaced_job("held", NAMESPACE)
    job.metadata.labels = {**(job.metadata.labels or {}), "team": "maths"}
    try:
        return batch.replace_namespaced_job("held", NAMESPACE, job), job.metadata.generation
    except ApiException as error:
        if error.status != 409:
            raise
        return None


def remove(batch, core):
    for name in ("sums", "held"):
        batch.delete_namespaced_job(name, NAMESPACE, propagation_policy="Foreground")
    until(lambda: len(batch.list_namespaced_job(NAMESPACE).items), lambda count: count == 0)
    try:
        batch.read_namespaced_job("sums", NAMESPACE)
        missing = None
    except ApiException as error:
        missing = [error.status, json.loads(error.body)["reason"]]
    return {"missing": missing, "pods": len(core.list_namespaced_pod(NAMESPACE).items)}


def any_kind(api):
    jobs = dynamic.DynamicClient(api).resources.get(api_version="batch/v1", kind="Job")
    made = jobs.create(body=manifest("any", "true", suspend=True), namespace=NAMESPACE)
    patched = jobs.patch(
        body={"metadata": {"labels": {"a": "b"}}}, name="any", namespace=NAMESPACE, content_type="application/merge-patch+json"
    )
    listed = [each.metadata.name for each in jobs.get(namespace=NAMESPACE).items]
    first = next(iter(jobs.watch(namespace=NAMESPACE, timeout=5)))
    jobs.delete(name="any", namespace=NAMESPACE)
    return {"made": made.metadata.name, "label": patched.metadata.labels["a"], "listed": listed, "event": first["type"]}


def main():
    config.load_kube_config(sys.argv[1])
    api = client.ApiClient()
    batch, core = client.BatchV1Api(api), client.CoreV1Api(api)
    seen = {"run": run_to_completion(api, batch, core), "change": change(batch), "remove": remove(batch, core), "any": any_kind(api)}
    json.dump(seen, sys.stdout)


main()
