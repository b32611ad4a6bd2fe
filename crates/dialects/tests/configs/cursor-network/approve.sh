#!/bin/bash
echo '{"permission":"ask","user_message":"network?"}'
