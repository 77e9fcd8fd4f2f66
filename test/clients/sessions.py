"""Sessions with Kubernetes' Python client. Usage: sessions.py KUBECONFIG POD PORT; prints what it has seen as JSON."""

import json
import sys

from kubernetes import client, config
from kubernetes.stream import portforward, stream

NAMESPACE = "default"


def run(api, pod, command):
    """The client's usual call: all that was printed, as one text."""
    return stream(
        api.connect_get_namespaced_pod_exec,
        pod,
        NAMESPACE,
        command=command,
        stdin=False,
        stdout=True,
        stderr=True,
        tty=False,
    )


def talk(api, pod):
    """Input line by line, and the exit code, which old clients only have like this."""
    opened = stream(
        api.connect_get_namespaced_pod_exec,
        pod,
        NAMESPACE,
        command=["sh", "-c", 'read line; echo "got $line"; echo wrong >&2; exit 4'],
        stdin=True,
        stdout=True,
        stderr=True,
        tty=False,
        _preload_content=False,
    )
    opened.write_stdin("a line\n")
    out, err = "", ""
    while opened.is_open():
        opened.update(timeout=1)
        out += opened.read_stdout(timeout=0) if opened.peek_stdout() else ""
        err += opened.read_stderr(timeout=0) if opened.peek_stderr() else ""
    return {"out": out, "err": err, "code": opened.returncode}


def forward(api, pod, port):
    forwarded = portforward(api.connect_get_namespaced_pod_portforward, pod, NAMESPACE, ports=str(port))
    socket = forwarded.socket(port)
    socket.setblocking(True)
    socket.sendall(b"GET / HTTP/1.1\r\nHost: here\r\nConnection: close\r\n\r\n")
    answer = b""
    while True:
        data = socket.recv(1024)
        if not data:
            break
        answer += data
    return {"status": answer.split(b"\r\n")[0].decode(), "error": forwarded.error(port)}


def main():
    kubeconfig, pod, port = sys.argv[1:]
    config.load_kube_config(kubeconfig)
    api = client.CoreV1Api()
    print(
        json.dumps(
            {
                "run": run(api, pod, ["sh", "-c", "echo out"]),
                "talk": talk(api, pod),
                "forward": forward(api, pod, int(port)),
            }
        )
    )


main()
