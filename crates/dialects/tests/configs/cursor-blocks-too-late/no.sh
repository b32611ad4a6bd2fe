#!/bin/bash
echo '{"permission":"deny"}'
exit 2
