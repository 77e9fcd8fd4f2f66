use anyhow::{Context, Result, ensure};
use futures::{AsyncBufReadExt, StreamExt, TryStreamExt};
use k8s_openapi::api::batch::v1::Job;
use k8s_openapi::api::core::v1::{ConfigMap, Event, Pod, Secret};
use kube::api::{
    AttachParams, DeleteParams, ListParams, LogParams, Patch, PatchParams, PostParams,
};
use kube::runtime::wait::{await_condition, conditions};
use kube::runtime::{WatchStreamExt, reflector, watcher};
use kube::{Api, Client, ResourceExt};
use serde_json::{from_value, json};
use std::time::Duration;
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::time::{sleep, timeout};

const PATIENCE: Duration = Duration::from_secs(60);

/// A session with kube-rs as it is by default. Ends with an error at the first thing that is not as with a cluster.
#[tokio::main]
async fn main() -> Result<()> {
    let client = Client::try_default().await?;
    watch_a_job(&client).await?;
    pods(&client).await?;
    configs(&client).await?;
    println!("kube-rs: all done");
    Ok(())
}

async fn watch_a_job(client: &Client) -> Result<()> {
    let jobs: Api<Job> = Api::default_namespaced(client.clone());
    let pods: Api<Pod> = Api::default_namespaced(client.clone());
    let (reader, writer) = reflector::store();
    let watcher = watcher(jobs.clone(), watcher::Config::default().streaming_lists());
    tokio::spawn(
        reflector(writer, watcher)
            .applied_objects()
            .for_each(async |_| ()),
    );
    timeout(PATIENCE, reader.wait_until_ready())
        .await
        .context("no first list")??;
    let job: Job = from_value(json!({
        "metadata": { "name": "greetings" },
        "spec": {
            "completions": 3, "parallelism": 3, "completionMode": "Indexed",
            "template": { "spec": {
                "restartPolicy": "Never",
                "containers": [{ "name": "main", "image": "busybox", "command": ["sh", "-c", "echo hello from $JOB_COMPLETION_INDEX"] }],
            } },
        },
    }))?;
    jobs.create(&PostParams::default(), &job).await?;
    timeout(
        PATIENCE,
        await_condition(jobs.clone(), "greetings", conditions::is_job_completed()),
    )
    .await
    .context("no end of the Job")??;
    let until_complete = async {
        while !reader.state().iter().any(|job| {
            job.status
                .as_ref()
                .is_some_and(|status| status.completed_indexes.as_deref() == Some("0-2"))
        }) {
            sleep(Duration::from_millis(100)).await;
        }
    };
    timeout(PATIENCE, until_complete)
        .await
        .context("the watcher has not heard of it")?;

    let second = pods
        .list(&ListParams::default().labels("batch.kubernetes.io/job-completion-index=1"))
        .await?;
    let name = second
        .items
        .first()
        .context("no Pod of index 1")?
        .name_any();
    ensure!(
        pods.logs(&name, &LogParams::default()).await? == "hello from 1\n",
        "another log"
    );
    let events: Api<Event> = Api::default_namespaced(client.clone());
    let told = events
        .list(&ListParams::default().fields("involvedObject.name=greetings"))
        .await?;
    ensure!(
        told.items
            .iter()
            .any(|event| event.reason.as_deref() == Some("Completed")),
        "no Event of its end"
    );
    let labels = json!({ "apiVersion": "batch/v1", "kind": "Job", "metadata": { "labels": { "checked": "yes" } } });
    let applied = jobs
        .patch(
            "greetings",
            &PatchParams::apply("session"),
            &Patch::Apply(&labels),
        )
        .await?;
    ensure!(
        applied
            .labels()
            .get("checked")
            .is_some_and(|value| value == "yes"),
        "no label"
    );
    let uid = applied.uid().context("a Job without a uid")?;
    jobs.delete("greetings", &DeleteParams::background())
        .await?;
    timeout(
        PATIENCE,
        await_condition(jobs, "greetings", conditions::is_deleted(&uid)),
    )
    .await
    .context("the Job is still there")??;
    Ok(())
}

async fn pods(client: &Client) -> Result<()> {
    let pods: Api<Pod> = Api::default_namespaced(client.clone());
    let pod: Pod = from_value(json!({
        "metadata": { "name": "open" },
        "spec": {
            "restartPolicy": "Never",
            "containers": [{ "name": "main", "image": "busybox",
                "command": ["sh", "-c", "echo one; sleep 1; echo two; exec python3 -m http.server --bind $MUSTER_ADDRESS 8097"] }],
        },
    }))?;
    pods.create(&PostParams::default(), &pod).await?;
    timeout(
        PATIENCE,
        await_condition(pods.clone(), "open", conditions::is_pod_running()),
    )
    .await
    .context("the Pod does not run")??;
    let follow = LogParams {
        follow: true,
        ..LogParams::default()
    };
    let lines = pods.log_stream("open", &follow).await?.lines().take(2);
    ensure!(
        timeout(PATIENCE, lines.try_collect::<Vec<_>>()).await?? == ["one", "two"],
        "other lines"
    );

    let mut exec = pods
        .exec(
            "open",
            ["sh", "-c", "head -n 1; exit 7"],
            &AttachParams::default().stdin(true).stderr(false),
        )
        .await?;
    exec.stdin()
        .context("no input")?
        .write_all(b"through\n")
        .await?;
    let mut said = String::new();
    exec.stdout()
        .context("no output")?
        .read_to_string(&mut said)
        .await?;
    let status = exec
        .take_status()
        .context("no status")?
        .await
        .context("the status never came")?;
    ensure!(said == "through\n", "another output: {said}");
    let causes = status
        .details
        .and_then(|details| details.causes)
        .unwrap_or_default();
    ensure!(
        causes
            .iter()
            .any(|cause| cause.message.as_deref() == Some("7")),
        "another end: {:?}",
        status.message
    );

    let answer = timeout(PATIENCE, async {
        loop {
            if let Some(answer) = ask(&pods).await {
                return answer;
            }
            sleep(Duration::from_millis(100)).await;
        }
    });
    ensure!(answer.await?.starts_with("HTTP/1.0 200"), "another answer");
    pods.delete("open", &DeleteParams::default().grace_period(0))
        .await?;
    Ok(())
}

/// What the server behind the port says; nothing yet, if it does not listen.
async fn ask(pods: &Api<Pod>) -> Option<String> {
    let mut forward = pods.portforward("open", &[8097]).await.ok()?;
    let mut stream = forward.take_stream(8097)?;
    stream.write_all(b"GET / HTTP/1.0\r\n\r\n").await.ok()?;
    let mut said = [0; 12];
    stream.read_exact(&mut said).await.ok()?;
    String::from_utf8(said.to_vec()).ok()
}

async fn configs(client: &Client) -> Result<()> {
    let maps: Api<ConfigMap> = Api::default_namespaced(client.clone());
    let secrets: Api<Secret> = Api::default_namespaced(client.clone());
    maps.create(
        &PostParams::default(),
        &from_value(json!({ "metadata": { "name": "map" }, "data": { "a": "1" } }))?,
    )
    .await?;
    let patched = maps
        .patch(
            "map",
            &PatchParams::default(),
            &Patch::Merge(json!({ "data": { "b": "2" } })),
        )
        .await?;
    ensure!(
        patched.data.is_some_and(|data| data.len() == 2),
        "another ConfigMap"
    );
    maps.delete("map", &DeleteParams::default()).await?;
    secrets
        .create(
            &PostParams::default(),
            &from_value(json!({ "metadata": { "name": "secret" }, "stringData": { "a": "1" } }))?,
        )
        .await?;
    let secret = secrets.get("secret").await?;
    ensure!(
        secret.data.is_some_and(|data| data["a"].0 == b"1"),
        "another Secret"
    );
    secrets.delete("secret", &DeleteParams::default()).await?;
    Ok(())
}
