"""Tasks of Airflow's own, for KubernetesExecutor: each is a Pod of Muster."""

from datetime import datetime

from airflow.sdk import DAG, task

with DAG("lengths", start_date=datetime(2026, 1, 1), schedule=None):

    @task
    def length(word):
        return len(word)

    @task
    def add(lengths):
        with open("letters.txt", "w") as file:
            file.write(f"{sum(lengths)}\n")

    add(length.expand(word=["one", "three", "eleven"]))
