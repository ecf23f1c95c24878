"""Engines of `reparto dedupe`: one machine, or the steps over blocks on Daft, Ray and Spark."""
