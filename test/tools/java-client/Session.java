import io.kubernetes.client.Exec;
import io.kubernetes.client.PodLogs;
import io.kubernetes.client.PortForward;
import io.kubernetes.client.custom.V1Patch;
import io.kubernetes.client.informer.ResourceEventHandler;
import io.kubernetes.client.informer.SharedInformerFactory;
import io.kubernetes.client.openapi.ApiClient;
import io.kubernetes.client.openapi.apis.BatchV1Api;
import io.kubernetes.client.openapi.apis.CoreV1Api;
import io.kubernetes.client.openapi.models.*;
import io.kubernetes.client.util.CallGeneratorParams;
import io.kubernetes.client.util.Config;
import io.kubernetes.client.util.PatchUtils;
import io.kubernetes.client.util.Watch;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;

/** A session with Kubernetes' own Java client. Ends with an exception at the first thing that is not as with a cluster. */
public class Session {
  static final long PATIENCE_SEC = 60;

  public static void main(String[] words) throws Exception {
    ApiClient client = Config.defaultClient();
    client.setReadTimeout(0);
    watchAJob(client);
    pods(client);
    configs(client);
    System.out.println("java-client: all done");
    System.exit(0);
  }

  static void watchAJob(ApiClient client) throws Exception {
    BatchV1Api batch = new BatchV1Api(client);
    CoreV1Api core = new CoreV1Api(client);
    CountDownLatch informed = new CountDownLatch(1);
    SharedInformerFactory factory = new SharedInformerFactory(client);
    factory.sharedIndexInformerFor(
            (CallGeneratorParams call) -> batch.listNamespacedJob("default").resourceVersion(call.resourceVersion)
                .timeoutSeconds(call.timeoutSeconds).watch(call.watch).buildCall(null),
            V1Job.class, V1JobList.class)
        .addEventHandler(new ResourceEventHandler<>() {
          public void onAdd(V1Job job) {}
          public void onUpdate(V1Job old, V1Job job) { if (isComplete(job)) informed.countDown(); }
          public void onDelete(V1Job job, boolean isFinalStateUnknown) {}
        });
    factory.startAllRegisteredInformers();
    V1Container main = new V1Container().name("main").image("busybox").command(List.of("sh", "-c", "echo hello from $JOB_COMPLETION_INDEX"));
    V1Job job = new V1Job().metadata(new V1ObjectMeta().name("greetings"))
        .spec(new V1JobSpec().completions(3).parallelism(3).completionMode("Indexed")
            .template(new V1PodTemplateSpec().spec(new V1PodSpec().restartPolicy("Never").addContainersItem(main))));
    batch.createNamespacedJob("default", job).execute();
    try (Watch<V1Job> watch = Watch.createWatch(client,
        batch.listNamespacedJob("default").fieldSelector("metadata.name=greetings").watch(true).buildCall(null),
        new com.google.gson.reflect.TypeToken<Watch.Response<V1Job>>() {}.getType())) {
      for (Watch.Response<V1Job> event : watch) if (isComplete(event.object)) break;
    }
    if (!informed.await(PATIENCE_SEC, TimeUnit.SECONDS)) throw new AssertionError("the informer has not heard of it");
    factory.stopAllRegisteredInformers();
    V1Job read = batch.readNamespacedJobStatus("greetings", "default").execute();
    is("0-2", read.getStatus().getCompletedIndexes());
    String pod = core.listNamespacedPod("default").labelSelector("batch.kubernetes.io/job-completion-index=1").execute().getItems().get(0).getMetadata().getName();
    is("hello from 1\n", new String(new PodLogs(client).streamNamespacedPodLog("default", pod, "main").readAllBytes()));
    V1Job patched = PatchUtils.patch(V1Job.class, () -> batch.patchNamespacedJob("greetings", "default",
        new V1Patch("[{\"op\":\"add\",\"path\":\"/metadata/labels/checked\",\"value\":\"yes\"}]")).buildCall(null), V1Patch.PATCH_FORMAT_JSON_PATCH, client);
    is("yes", patched.getMetadata().getLabels().get("checked"));
    batch.deleteCollectionNamespacedJob("default").propagationPolicy("Background").execute();
    for (int tries = 0; !batch.listNamespacedJob("default").execute().getItems().isEmpty(); tries++) {
      if (tries > 100) throw new AssertionError("the Job is still there");
      Thread.sleep(100);
    }
  }

  static void pods(ApiClient client) throws Exception {
    CoreV1Api core = new CoreV1Api(client);
    V1Container main = new V1Container().name("main").image("busybox").command(List.of("sh", "-c", "exec python3 -m http.server --bind $MUSTER_ADDRESS 8096"));
    core.createNamespacedPod("default", new V1Pod().metadata(new V1ObjectMeta().name("open"))
        .spec(new V1PodSpec().restartPolicy("Never").addContainersItem(main))).execute();
    for (int tries = 0; !"Running".equals(core.readNamespacedPodStatus("open", "default").execute().getStatus().getPhase()); tries++) {
      if (tries > 300) throw new AssertionError("the Pod does not run");
      Thread.sleep(100);
    }
    Process exec = new Exec(client).exec("default", "open", new String[] {"sh", "-c", "cat; exit 7"}, true, false);
    try (var in = exec.getOutputStream()) { in.write("through\n".getBytes()); }
    // The protocol has no way to close the input: `cat` ends with the session.
    byte[] said = exec.getInputStream().readNBytes(8);
    is("through\n", new String(said));
    exec.destroy();
    Process failing = new Exec(client).exec("default", "open", new String[] {"sh", "-c", "exit 7"}, false, false);
    is(7, failing.waitFor());
    is(true, answers(client).startsWith("HTTP/1.0 200"));
    core.deleteNamespacedPod("open", "default").gracePeriodSeconds(0).execute();
  }

  /** The first line that the server behind the port says; it may need a moment to listen. */
  static String answers(ApiClient client) throws Exception {
    for (int tries = 0; tries < 100; tries++) {
      try {
        PortForward.PortForwardResult forward = new PortForward(client).forward("default", "open", List.of(8096));
        forward.getOutboundStream(8096).write("GET / HTTP/1.0\r\n\r\n".getBytes());
        String said = new String(forward.getInputStream(8096).readNBytes(12));
        if (!said.isEmpty()) return said;
      } catch (java.io.IOException notYet) {
      }
      Thread.sleep(100);
    }
    throw new AssertionError("nothing answers behind the port");
  }

  static void configs(ApiClient client) throws Exception {
    CoreV1Api core = new CoreV1Api(client);
    core.createNamespacedConfigMap("default", new V1ConfigMap().metadata(new V1ObjectMeta().name("map")).putDataItem("a", "1")).execute();
    V1ConfigMap map = core.readNamespacedConfigMap("map", "default").execute();
    core.replaceNamespacedConfigMap("map", "default", map.putDataItem("b", "2")).execute();
    is(Map.of("a", "1", "b", "2"), core.readNamespacedConfigMap("map", "default").execute().getData());
    core.deleteNamespacedConfigMap("map", "default").execute();
    core.createNamespacedSecret("default", new V1Secret().metadata(new V1ObjectMeta().name("secret")).putStringDataItem("a", "1")).execute();
    is("1", new String(core.readNamespacedSecret("secret", "default").execute().getData().get("a")));
    core.deleteNamespacedSecret("secret", "default").execute();
  }

  static boolean isComplete(V1Job job) {
    return job.getStatus() != null && job.getStatus().getConditions() != null
        && job.getStatus().getConditions().stream().anyMatch(each -> each.getType().equals("Complete"));
  }

  static void is(Object wanted, Object got) {
    if (!wanted.equals(got)) throw new AssertionError("wanted " + wanted + ", got " + got);
  }
}
