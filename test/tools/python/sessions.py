"""What the official client's own end-to-end tests do in Pods: commands, their input and exit codes, and ports."""

import gzip
import json
import time

from kubernetes import client, config
from kubernetes.stream import portforward, stream
from kubernetes.stream.ws_client import ERROR_CHANNEL

config.load_kube_config()
core = client.CoreV1Api()

ECHO = """
import os, socket, threading

def serve(port):
    server = socket.create_server((os.environ["MUSTER_ADDRESS"], port))
    print("listens", flush=True)
    while True:
        threading.Thread(target=echo, args=server.accept()[:1], daemon=True).start()

def echo(connection):
    while data := connection.recv(1024):
        connection.sendall(data)
    connection.close()

for port in (1234, 1235):
    threading.Thread(target=serve, args=(port,)).start()
"""


def start(name, command):
    container = {"name": "main", "image": "x", "command": command}
    pod = {"metadata": {"name": name}, "spec": {"restartPolicy": "Never", "containers": [container]}}
    core.create_namespaced_pod("default", pod)
    while core.read_namespaced_pod(name, "default").status.phase != "Running":
        time.sleep(0.2)


def run(connect, command, **options):
    settings = {"stderr": False, "stdin": False, "stdout": True, "tty": False, **options}
    return stream(connect, "sleeps", "default", command=command, **settings)


def read_output():
    text = run(core.connect_get_namespaced_pod_exec, ["sh", "-c", "for i in 1 2 3; do echo $i; done"])
    assert text.splitlines() == ["1", "2", "3"], text
    packed = run(core.connect_post_namespaced_pod_exec, ["sh", "-c", "printf hello | gzip"], binary=True)
    assert gzip.decompress(packed) == b"hello", packed


def talk(binary):
    as_sent = str.encode if binary else str
    shell = run(core.connect_post_namespaced_pod_exec, ["sh"], stderr=True, stdin=True, binary=binary, _preload_content=False)
    shell.write_stdin(as_sent("echo one\n"))
    assert shell.readline_stdout(timeout=20) == as_sent("one")
    shell.write_stdin(as_sent("echo two >&2\n"))
    assert shell.readline_stderr(timeout=20) == as_sent("two")
    shell.write_stdin(as_sent("exit\n"))
    while not (end := shell.read_channel(ERROR_CHANNEL)):
        time.sleep(0.2)
    assert json.loads(end)["status"] == "Success", end
    shell.update(timeout=20)
    assert not shell.is_open()


def close_input():
    cat = run(core.connect_post_namespaced_pod_exec, ["cat"], stdin=True, _preload_content=False)
    assert cat.subprotocol == "v5.channel.k8s.io", cat.subprotocol
    cat.write_stdin("last\n")
    assert cat.readline_stdout(timeout=20) == "last"
    cat.close_channel(0)
    cat.run_forever(timeout=20)
    assert (cat.is_open(), cat.returncode) == (False, 0)


def see_exit_codes():
    for command, code in ((["false"], 1), (["sh", "-c", "exit 3"], 3), (["true"], 0)):
        program = run(core.connect_get_namespaced_pod_exec, command, _preload_content=False)
        program.run_forever(timeout=20)
        assert program.returncode == code, (command, program.returncode)


def forward_ports():
    start("echoes", ["python", "-c", ECHO])
    while core.read_namespaced_pod_log("echoes", "default").count("listens") < 2:
        time.sleep(0.2)
    forwarded = portforward(core.connect_get_namespaced_pod_portforward, "echoes", "default", ports="1234,1235,1236")
    for port in (1234, 1235):
        connection = forwarded.socket(port)
        connection.setblocking(True)
        connection.sendall(b"port %d" % port)
        assert connection.recv(1024) == b"port %d" % port
    nobody = forwarded.socket(1236)
    nobody.setblocking(True)
    assert nobody.recv(1024) == b""
    assert forwarded.error(1236) is not None


start("sleeps", ["sleep", "600"])
read_output()
talk(binary=False)
talk(binary=True)
close_input()
see_exit_codes()
forward_ports()
for name in ("sleeps", "echoes"):
    core.delete_namespaced_pod(name, "default")
print("sessions ok")
