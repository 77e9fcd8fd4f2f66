import io.fabric8.kubernetes.api.model.Event;
import io.fabric8.kubernetes.api.model.Pod;
import io.fabric8.kubernetes.api.model.PodBuilder;
import io.fabric8.kubernetes.api.model.batch.v1.Job;
import io.fabric8.kubernetes.api.model.batch.v1.JobBuilder;
import io.fabric8.kubernetes.client.KubernetesClient;
import io.fabric8.kubernetes.client.KubernetesClientBuilder;
import io.fabric8.kubernetes.client.LocalPortForward;
import io.fabric8.kubernetes.client.Watcher;
import io.fabric8.kubernetes.client.WatcherException;
import io.fabric8.kubernetes.client.dsl.ExecWatch;
import io.fabric8.kubernetes.client.dsl.LogWatch;
import io.fabric8.kubernetes.client.informers.ResourceEventHandler;
import io.fabric8.kubernetes.client.informers.SharedIndexInformer;
import java.io.ByteArrayOutputStream;
import java.net.InetAddress;
import java.net.Socket;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;

/** A session with fabric8's client as it is by default. Ends with an exception at the first thing that is not as with a cluster. */
public class Session {
  static final long PATIENCE_SEC = 60;

  public static void main(String[] words) throws Exception {
    try (KubernetesClient client = new KubernetesClientBuilder().build()) {
      watchAJob(client);
      pods(client);
      configs(client);
      sessions(client);
    }
    System.out.println("fabric8: all done");
  }

  static void watchAJob(KubernetesClient client) throws Exception {
    CountDownLatch informed = new CountDownLatch(1), watched = new CountDownLatch(1);
    try (SharedIndexInformer<Job> informer = client.batch().v1().jobs().inNamespace("default").inform(new ResourceEventHandler<>() {
          public void onAdd(Job job) {}
          public void onUpdate(Job old, Job job) { if (succeeded(job) == 3) informed.countDown(); }
          public void onDelete(Job job, boolean isFinalStateUnknown) {}
        });
        var watch = client.batch().v1().jobs().inNamespace("default").withName("greetings").watch(new Watcher<>() {
          public void eventReceived(Action action, Job job) { if (succeeded(job) == 3) watched.countDown(); }
          public void onClose(WatcherException cause) {}
        })) {
      Job job = new JobBuilder()
          .withNewMetadata().withName("greetings").endMetadata()
          .withNewSpec().withCompletions(3).withParallelism(3).withCompletionMode("Indexed")
          .withNewTemplate().withNewSpec().withRestartPolicy("Never")
          .addNewContainer().withName("main").withImage("busybox")
          .withCommand("sh", "-c", "echo hello from $JOB_COMPLETION_INDEX").endContainer()
          .endSpec().endTemplate().endSpec().build();
      client.resource(job).create();
      Job ended = client.resource(job).waitUntilCondition(Session::isComplete, PATIENCE_SEC, TimeUnit.SECONDS);
      is("0-2", ended.getStatus().getCompletedIndexes());
      await(informed, "the informer");
      await(watched, "the watch");
      is(3, informer.getStore().list().stream().mapToInt(Session::succeeded).sum());
    }
    Pod second = client.pods().inNamespace("default").withLabel("batch.kubernetes.io/job-completion-index", "1").list().getItems().get(0);
    is("hello from 1\n", client.pods().resource(second).getLog());
    List<String> reasons = client.v1().events().inNamespace("default").withField("involvedObject.name", "greetings").list().getItems()
        .stream().map(Event::getReason).toList();
    is(true, reasons.contains("Completed"));
    Job edited = client.batch().v1().jobs().inNamespace("default").withName("greetings")
        .edit(job -> new JobBuilder(job).editMetadata().addToLabels("checked", "yes").endMetadata().build());
    is("yes", edited.getMetadata().getLabels().get("checked"));
    client.resource(edited).delete();
    client.resource(edited).waitUntilCondition(job -> job == null, PATIENCE_SEC, TimeUnit.SECONDS);
    is(List.of(), client.pods().inNamespace("default").withLabel("job-name", "greetings").list().getItems());
  }

  static void pods(KubernetesClient client) throws Exception {
    Pod pod = client.resource(podThatRuns("alone", "echo one; sleep 1; echo two")).create();
    ByteArrayOutputStream log = new ByteArrayOutputStream();
    client.pods().resource(pod).waitUntilCondition(each -> each != null && !"Pending".equals(each.getStatus().getPhase()), PATIENCE_SEC, TimeUnit.SECONDS);
    try (LogWatch follows = client.pods().resource(pod).watchLog(log)) {
      Pod ended = client.pods().resource(pod).waitUntilCondition(each -> "Succeeded".equals(each.getStatus().getPhase()), PATIENCE_SEC, TimeUnit.SECONDS);
      is(0, ended.getStatus().getContainerStatuses().get(0).getState().getTerminated().getExitCode());
      is("one\ntwo\n", until("one\ntwo\n", log));
    }
    client.resource(pod).delete();
  }

  static void configs(KubernetesClient client) {
    var map = client.configMaps().inNamespace("default").resource(
        new io.fabric8.kubernetes.api.model.ConfigMapBuilder().withNewMetadata().withName("map").endMetadata().addToData("a", "1").build());
    map.create();
    map.edit(each -> new io.fabric8.kubernetes.api.model.ConfigMapBuilder(each).addToData("b", "2").build());
    is(Map.of("a", "1", "b", "2"), map.get().getData());
    map.delete();
    var secret = client.secrets().inNamespace("default").resource(
        new io.fabric8.kubernetes.api.model.SecretBuilder().withNewMetadata().withName("secret").endMetadata().addToStringData("a", "1").build());
    secret.serverSideApply();
    is("MQ==", secret.get().getData().get("a"));
    secret.delete();
  }

  static void sessions(KubernetesClient client) throws Exception {
    Pod pod = client.resource(podThatRuns("open", "exec python3 -m http.server --bind $MUSTER_ADDRESS 8095")).create();
    client.pods().resource(pod).waitUntilReady(PATIENCE_SEC, TimeUnit.SECONDS);
    ByteArrayOutputStream out = new ByteArrayOutputStream();
    try (ExecWatch exec = client.pods().resource(pod).writingOutput(out).exec("sh", "-c", "echo within; exit 7")) {
      is(7, exec.exitCode().get(PATIENCE_SEC, TimeUnit.SECONDS));
    }
    is("within\n", until("within\n", out));
    try (LocalPortForward forward = client.pods().resource(pod).portForward(8095)) {
      is(true, answers(forward.getLocalPort()).startsWith("HTTP/1.0 200"));
    }
    client.resource(pod).withGracePeriod(0).delete();
  }

  /** The first line that the server behind the port says; it may need a moment to listen. */
  static String answers(int port) throws Exception {
    for (int tries = 0; tries < 100; tries++) {
      try (Socket socket = new Socket(InetAddress.getLoopbackAddress(), port)) {
        socket.getOutputStream().write("GET / HTTP/1.0\r\n\r\n".getBytes());
        String said = new String(socket.getInputStream().readNBytes(12));
        if (!said.isEmpty()) return said;
      } catch (java.io.IOException notYet) {
      }
      Thread.sleep(100);
    }
    throw new AssertionError("nothing answers behind the port");
  }

  /** What is printed: the client writes it in a thread of its own. */
  static String until(String wanted, ByteArrayOutputStream printed) throws Exception {
    for (int tries = 0; !printed.toString().equals(wanted) && tries < 100; tries++) Thread.sleep(100);
    return printed.toString();
  }

  static Pod podThatRuns(String name, String script) {
    return new PodBuilder().withNewMetadata().withName(name).withNamespace("default").endMetadata()
        .withNewSpec().withRestartPolicy("Never")
        .addNewContainer().withName("main").withImage("busybox").withCommand("sh", "-c", script).endContainer()
        .endSpec().build();
  }

  static int succeeded(Job job) {
    return job.getStatus() == null || job.getStatus().getSucceeded() == null ? 0 : job.getStatus().getSucceeded();
  }

  static boolean isComplete(Job job) {
    return job != null && job.getStatus() != null && job.getStatus().getConditions().stream().anyMatch(each -> each.getType().equals("Complete"));
  }

  static void await(CountDownLatch latch, String what) throws Exception {
    if (!latch.await(PATIENCE_SEC, TimeUnit.SECONDS)) throw new AssertionError(what + " has not heard of it");
  }

  static void is(Object wanted, Object got) {
    if (!wanted.equals(got)) throw new AssertionError("wanted " + wanted + ", got " + got);
  }
}
