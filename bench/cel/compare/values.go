package main

import (
	"github.com/blang/semver/v4"
	"k8s.io/apimachinery/pkg/api/resource"
	apiservercel "k8s.io/apiserver/pkg/cel"
)

func semverOf(text string) apiservercel.Semver {
	return apiservercel.Semver{Version: semver.MustParse(text)}
}

func quantityOf(quantity resource.Quantity) apiservercel.Quantity {
	return apiservercel.Quantity{Quantity: &quantity}
}
