package main

import (
	"context"
	"errors"
	"time"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/client-go/rest"
	ctrl "sigs.k8s.io/controller-runtime"
	"sigs.k8s.io/controller-runtime/pkg/cache"
	"sigs.k8s.io/controller-runtime/pkg/client"
	metrics "sigs.k8s.io/controller-runtime/pkg/metrics/server"
)

// startManager keeps config maps in the cache of a controller-runtime manager that is the elected leader.
func startManager(ctx context.Context, config *rest.Config, seen *order) (func() []*corev1.ConfigMap, error) {
	manager, err := ctrl.NewManager(config, ctrl.Options{
		LeaderElection:          true,
		LeaderElectionID:        "clients-test",
		LeaderElectionNamespace: namespace,
		Metrics:                 metrics.Options{BindAddress: "0"},
		Cache:                   cache.Options{DefaultNamespaces: map[string]cache.Config{namespace: {}}},
	})
	if err != nil {
		return nil, err
	}
	informer, err := manager.GetCache().GetInformer(ctx, &corev1.ConfigMap{}, cache.BlockUntilSynced(false))
	if err != nil {
		return nil, err
	}
	if _, err := informer.AddEventHandler(handler(seen)); err != nil {
		return nil, err
	}
	ended := make(chan error, 1)
	go func() { ended <- manager.Start(ctx) }()
	select {
	case <-manager.Elected():
	case err := <-ended:
		return nil, err
	case <-time.After(30 * time.Second):
		return nil, errors.New("not elected within 30 s")
	}
	if !manager.GetCache().WaitForCacheSync(ctx) {
		return nil, errors.New("the cache does not come up")
	}
	return func() []*corev1.ConfigMap {
		var maps corev1.ConfigMapList
		if manager.GetClient().List(ctx, &maps, client.InNamespace(namespace)) != nil {
			return nil
		}
		var list []*corev1.ConfigMap
		for i := range maps.Items {
			list = append(list, &maps.Items[i])
		}
		return list
	}, nil
}
