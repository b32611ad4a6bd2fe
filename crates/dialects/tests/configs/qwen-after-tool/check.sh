#!/bin/bash
echo "bad edit" >&2
exit 2
