// A session of a Go program with the API, by the client library that controllers are written with: `session KUBECONFIG`. It creates a
// suspended Job, sees it in an informer, changes it, and deletes it. What happens is printed, a line each.
package main

import (
	"context"
	"fmt"
	"os"
	"time"

	batchv1 "k8s.io/api/batch/v1"
	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/apimachinery/pkg/watch"
	batchclient "k8s.io/client-go/kubernetes/typed/batch/v1"
	"k8s.io/client-go/tools/cache"
	"k8s.io/client-go/tools/clientcmd"
)

const name = "from-go"

func main() {
	ctx, cancel := context.WithTimeout(context.Background(), time.Minute)
	defer cancel()
	if err := session(ctx, os.Args[1]); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}

func session(ctx context.Context, kubeconfig string) error {
	config, err := clientcmd.BuildConfigFromFlags("", kubeconfig)
	if err != nil {
		return err
	}
	client, err := batchclient.NewForConfig(config)
	if err != nil {
		return err
	}
	jobs := client.Jobs("default")
	if _, err := jobs.Get(ctx, name, metav1.GetOptions{}); !apierrors.IsNotFound(err) {
		return fmt.Errorf("not found, expected: %v", err)
	}
	fmt.Println("not found")
	seen := informer(ctx, jobs)
	made, err := jobs.Create(ctx, suspendedJob(), metav1.CreateOptions{})
	if err != nil {
		return err
	}
	fmt.Println("created", made.Name, *made.Spec.Parallelism)
	if err := await(ctx, seen, "added 1"); err != nil {
		return err
	}
	patch := []byte(`{"spec":{"parallelism":3}}`)
	if _, err := jobs.Patch(ctx, name, types.StrategicMergePatchType, patch, metav1.PatchOptions{}); err != nil {
		return err
	}
	if err := await(ctx, seen, "updated 3"); err != nil {
		return err
	}
	made.Spec.Parallelism = new(int32)
	if _, err := jobs.Update(ctx, made, metav1.UpdateOptions{}); !apierrors.IsConflict(err) {
		return fmt.Errorf("conflict, expected: %v", err)
	}
	fmt.Println("conflict")
	background := metav1.DeletePropagationBackground
	if err := jobs.Delete(ctx, name, metav1.DeleteOptions{PropagationPolicy: &background}); err != nil {
		return err
	}
	return await(ctx, seen, "deleted 3")
}

func suspendedJob() *batchv1.Job {
	suspend := true
	container := corev1.Container{Name: "main", Image: "busybox", Command: []string{"true"}}
	return &batchv1.Job{
		ObjectMeta: metav1.ObjectMeta{Name: name},
		Spec: batchv1.JobSpec{
			Suspend: &suspend,
			Template: corev1.PodTemplateSpec{
				Spec: corev1.PodSpec{RestartPolicy: corev1.RestartPolicyNever, Containers: []corev1.Container{container}},
			},
		},
	}
}

// What a controller's cache hears: list, then watch.
func informer(ctx context.Context, jobs batchclient.JobInterface) <-chan string {
	source := &cache.ListWatch{
		ListFunc: func(options metav1.ListOptions) (runtime.Object, error) { return jobs.List(ctx, options) },
		WatchFunc: func(options metav1.ListOptions) (watch.Interface, error) {
			return jobs.Watch(ctx, options)
		},
	}
	seen := make(chan string, 100)
	say := func(what string, object any) {
		if job, ok := object.(*batchv1.Job); ok {
			seen <- fmt.Sprint(what, " ", *job.Spec.Parallelism)
		}
	}
	_, controller := cache.NewInformerWithOptions(cache.InformerOptions{
		ListerWatcher: source,
		ObjectType:    &batchv1.Job{},
		Handler: cache.ResourceEventHandlerFuncs{
			AddFunc:    func(object any) { say("added", object) },
			UpdateFunc: func(_, object any) { say("updated", object) },
			DeleteFunc: func(object any) { say("deleted", object) },
		},
	})
	go controller.RunWithContext(ctx)
	cache.WaitForCacheSync(ctx.Done(), controller.HasSynced)
	return seen
}

func await(ctx context.Context, seen <-chan string, wanted string) error {
	for {
		select {
		case what := <-seen:
			if what == wanted {
				fmt.Println(what)
				return nil
			}
		case <-ctx.Done():
			return fmt.Errorf("%q was not seen", wanted)
		}
	}
}
