#!/bin/bash
echo '{"permission":"ask"}'
