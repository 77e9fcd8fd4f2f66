// A session of a Go program with Pods, by Kubernetes' own library with all its kinds. It ends with an error at the first thing that is
// not as with a cluster.
package main

import (
	"bufio"
	"bytes"
	"context"
	"errors"
	"fmt"
	"net/http"
	"os"
	"time"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/fields"
	"k8s.io/apimachinery/pkg/watch"
	"k8s.io/client-go/informers"
	"k8s.io/client-go/kubernetes"
	"k8s.io/client-go/kubernetes/scheme"
	"k8s.io/client-go/rest"
	"k8s.io/client-go/tools/cache"
	"k8s.io/client-go/tools/clientcmd"
	"k8s.io/client-go/tools/portforward"
	"k8s.io/client-go/tools/remotecommand"
	toolswatch "k8s.io/client-go/tools/watch"
	"k8s.io/client-go/transport/spdy"
	"k8s.io/client-go/util/exec"
)

const (
	name   = "open"
	script = "echo one; sleep 1; echo two; exec python3 -m http.server --bind $MUSTER_ADDRESS 8098"
)

func main() {
	ctx, cancel := context.WithTimeout(context.Background(), 2*time.Minute)
	defer cancel()
	if err := session(ctx); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
	fmt.Println("client-go: all done")
}

func session(ctx context.Context) error {
	config, err := clientcmd.BuildConfigFromFlags("", os.Getenv("KUBECONFIG"))
	if err != nil {
		return err
	}
	client, err := kubernetes.NewForConfig(config)
	if err != nil {
		return err
	}
	seen := informer(ctx, client)
	pods := client.CoreV1().Pods("default")
	if _, err := pods.Create(ctx, pod(), metav1.CreateOptions{}); err != nil {
		return err
	}
	if err := awaitPhase(ctx, client, corev1.PodRunning); err != nil {
		return err
	}
	if err := follow(ctx, client); err != nil {
		return err
	}
	if err := run(ctx, config, client); err != nil {
		return err
	}
	// The server may need a moment to listen; a connection that is refused ends the forwarding.
	for err := forward(config, client); err != nil; err = forward(config, client) {
		select {
		case <-time.After(100 * time.Millisecond):
		case <-ctx.Done():
			return fmt.Errorf("nothing answers behind the port: %v", err)
		}
	}
	events, err := client.EventsV1().Events("default").List(ctx, metav1.ListOptions{FieldSelector: "regarding.name=" + name})
	if err != nil || len(events.Items) == 0 {
		return fmt.Errorf("no Events of the Pod: %v", err)
	}
	if err := pods.Delete(ctx, name, *metav1.NewDeleteOptions(0)); err != nil {
		return err
	}
	for {
		select {
		case what := <-seen:
			fmt.Println(what)
			if what == "deleted" {
				return nil
			}
		case <-ctx.Done():
			return errors.New("the informer has not heard of the delete")
		}
	}
}

func pod() *corev1.Pod {
	container := corev1.Container{Name: "main", Image: "busybox", Command: []string{"sh", "-c", script}}
	return &corev1.Pod{
		ObjectMeta: metav1.ObjectMeta{Name: name},
		Spec:       corev1.PodSpec{RestartPolicy: corev1.RestartPolicyNever, Containers: []corev1.Container{container}},
	}
}

// What a controller's cache of Pods hears.
func informer(ctx context.Context, client kubernetes.Interface) <-chan string {
	factory := informers.NewSharedInformerFactoryWithOptions(client, 0, informers.WithNamespace("default"))
	of := factory.Core().V1().Pods().Informer()
	seen := make(chan string, 100)
	say := func(what string, object any) {
		if pod, ok := object.(*corev1.Pod); ok && pod.Name == name {
			seen <- what
		}
	}
	of.AddEventHandler(cache.ResourceEventHandlerFuncs{
		AddFunc:    func(object any) { say("added", object) },
		DeleteFunc: func(object any) { say("deleted", object) },
	})
	factory.Start(ctx.Done())
	factory.WaitForCacheSync(ctx.Done())
	return seen
}

func awaitPhase(ctx context.Context, client kubernetes.Interface, phase corev1.PodPhase) error {
	selector := fields.OneTermEqualSelector("metadata.name", name).String()
	source := cache.NewFilteredListWatchFromClient(client.CoreV1().RESTClient(), "pods", "default", func(options *metav1.ListOptions) {
		options.FieldSelector = selector
	})
	_, err := toolswatch.UntilWithSync(ctx, source, &corev1.Pod{}, nil, func(event watch.Event) (bool, error) {
		pod, ok := event.Object.(*corev1.Pod)
		return ok && pod.Status.Phase == phase, nil
	})
	return err
}

func follow(ctx context.Context, client kubernetes.Interface) error {
	stream, err := client.CoreV1().Pods("default").GetLogs(name, &corev1.PodLogOptions{Follow: true}).Stream(ctx)
	if err != nil {
		return err
	}
	defer stream.Close()
	lines := bufio.NewScanner(stream)
	for _, wanted := range []string{"one", "two"} {
		if !lines.Scan() || lines.Text() != wanted {
			return fmt.Errorf("wanted the line %q, got %q", wanted, lines.Text())
		}
	}
	return nil
}

// By a WebSocket, as kubectl does since 1.31, and by SPDY, as before.
func run(ctx context.Context, config *rest.Config, client kubernetes.Interface) error {
	options := &corev1.PodExecOptions{Container: "main", Command: []string{"sh", "-c", "cat; exit 7"}, Stdin: true, Stdout: true}
	url := client.CoreV1().RESTClient().Post().Resource("pods").Namespace("default").Name(name).SubResource("exec").
		VersionedParams(options, scheme.ParameterCodec).URL()
	socket, err := remotecommand.NewWebSocketExecutor(config, "GET", url.String())
	if err != nil {
		return err
	}
	older, err := remotecommand.NewSPDYExecutor(config, "POST", url)
	if err != nil {
		return err
	}
	for _, executor := range []remotecommand.Executor{socket, older} {
		var out bytes.Buffer
		err := executor.StreamWithContext(ctx, remotecommand.StreamOptions{Stdin: bytes.NewBufferString("through"), Stdout: &out})
		var exit exec.CodeExitError
		if !errors.As(err, &exit) || exit.Code != 7 || out.String() != "through" {
			return fmt.Errorf("wanted the exit code 7 after \"through\", got %v after %q", err, out.String())
		}
	}
	return nil
}

func forward(config *rest.Config, client kubernetes.Interface) error {
	transport, upgrader, err := spdy.RoundTripperFor(config)
	if err != nil {
		return err
	}
	url := client.CoreV1().RESTClient().Post().Resource("pods").Namespace("default").Name(name).SubResource("portforward").URL()
	stop, ready := make(chan struct{}), make(chan struct{})
	defer close(stop)
	forwarder, err := portforward.New(spdy.NewDialer(upgrader, &http.Client{Transport: transport}, "POST", url), []string{"0:8098"}, stop, ready, nil, nil)
	if err != nil {
		return err
	}
	failed := make(chan error, 1)
	go func() { failed <- forwarder.ForwardPorts() }()
	select {
	case err := <-failed:
		return err
	case <-ready:
	}
	ports, err := forwarder.GetPorts()
	if err != nil {
		return err
	}
	answer, err := http.Get(fmt.Sprintf("http://127.0.0.1:%d/", ports[0].Local))
	if err != nil {
		return err
	}
	return answer.Body.Close()
}
