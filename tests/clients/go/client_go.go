package main

import (
	"context"
	"time"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/labels"
	"k8s.io/client-go/informers"
	"k8s.io/client-go/kubernetes"
	"k8s.io/client-go/rest"
)

// startInformer keeps config maps in a shared informer of client-go; whether it lists first or asks for the initial
// events of a watch is the feature gate WatchListClient, an environment variable.
func startInformer(ctx context.Context, config *rest.Config, seen *order) (func() []*corev1.ConfigMap, error) {
	client, err := kubernetes.NewForConfig(config)
	if err != nil {
		return nil, err
	}
	factory := informers.NewSharedInformerFactoryWithOptions(client, time.Hour, informers.WithNamespace(namespace))
	maps := factory.Core().V1().ConfigMaps()
	if _, err := maps.Informer().AddEventHandler(handler(seen)); err != nil {
		return nil, err
	}
	factory.Start(ctx.Done())
	factory.WaitForCacheSync(ctx.Done())
	return func() []*corev1.ConfigMap {
		list, _ := maps.Lister().List(labels.Everything())
		return list
	}, nil
}
