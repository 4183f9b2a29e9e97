# Runs steps one after the other, each with a deadline and a log of its own, and tells at the end what became of each.
# Sourced by .ci/run and Tests/proof, in the folder of the checkout, with $logs set. Bash.

rows=()      # of the table: name, seconds, verdict
failed=0     # steps with a fault
session=     # of the step that runs
export PYTHONUNBUFFERED=1
mkdir -p "$logs"
trap 'end_session; exit 130' INT TERM HUP

# A network of its own, which has nothing but itself, where this user may make one.
offline=()
if unshare --net true 2>/dev/null; then
  offline=(unshare --net sh -c 'ip link set lo up && exec "$@"' offline)
fi

# step NAME MINUTES COMMAND…: runs the command, with its output in $logs/NAME.log. Returns whether it succeeded.
step() {
  local name=$1 limit began=$SECONDS status log=$logs/$1.log
  limit=$(awk "BEGIN { print int(60 * $2 * ${MARQUEE_SLOWNESS:-1}) }")
  shift 2
  echo "── $name: $*"
  # A session and a folder of its own, so that nothing that the step started or wrote is left after it.
  export TMPDIR=/tmp/marquee-step-$$
  mkdir -m 711 "$TMPDIR"  # a server of another user finds its folder there
  setsid "${network[@]}" "$@" >"$log" 2>&1 </dev/null &
  session=$!
  if timeout "$limit" tail --pid=$session -s 0.2 -f /dev/null; then
    wait $session
    status=$?
  else
    status=late
  fi
  end_session
  # Packages that do not come in time are as little a fault as those that do not come at all.
  [ "$name $status" != 'packages late' ] || status=75
  case $status in
    0) verdict "$name" "$began" passed ;;
    75) verdict "$name" "$began" 'could not be run' ;;
    *)
      if [ "$status" = late ]; then
        verdict "$name" "$began" "not done after $((limit / 60)) min"
        unfinished "$log"
      else
        verdict "$name" "$began" "FAILED ($status)"
      fi
      # Printed again, because an error may be thousands of lines above the end.
      { grep -aE '^(✘|↳|FAIL|Traceback)|error:|Sanitizer' "$log" | grep -v '◇'; tail -n 15 "$log"; } | tail -n 60 | sed 's/^/   /'
      failed=$((failed + 1)) ;;
  esac
  [ "$status" = 0 ]
}

# left_out NAME WHY: a row for a step that has not run.
left_out() { rows+=("$1|0|not run: $2"); }

verdict() {
  rows+=("$1|$((SECONDS - $2))|$3")
  echo "   $1: $3, $((SECONDS - $2)) s"
}

# Ends everything that the step started; at first in a way that lets it clean up.
end_session() {
  [ -n "$session" ] || return 0
  if pkill -TERM --session "$session"; then
    for _ in $(seq 50); do pgrep --session "$session" >/dev/null && sleep 0.1; done
    pkill -KILL --session "$session"
  fi
  wait "$session" 2>/dev/null
  session=
  rm -rf "$TMPDIR"
}

# unfinished LOG: prints the tests that have begun and not ended.
unfinished() {
  echo "   begun and not ended:"
  awk '
    /Test case passing/ { next }
    match($0, /(Test|Suite) .* started\.$/) { name = substr($0, RSTART, RLENGTH - 9); begun[name] = 1; next }
    match($0, /(Test|Suite) .* (passed|failed) after /) {
      name = substr($0, RSTART, RLENGTH); sub(/ (with [0-9]+ test cases? )?(passed|failed) after $/, "", name); delete begun[name]
    }
    /^     / { last = $0 }
    END { for (name in begun) print "     " name; if (last) print last }
  ' "$1" | head -n 30
}

# Prints the table, and the number of tests and checks that passed. Ends with 1 after a fault, with 75 if something could not be run.
finish() {
  local row name seconds said total=0 passed
  printf '\n%-16s %7s  %s\n' step seconds verdict
  for row in "${rows[@]}"; do
    IFS='|' read -r name seconds said <<<"$row"
    printf '%-16s %7s  %s\n' "$name" "$seconds" "$said"
    passed=$(sed -nE 's/.*Test run with ([0-9]+) tests?.* passed.*/\1/p; s/^([0-9]+) passed, 0 failed$/\1/p' \
      "$logs/$name.log" 2>/dev/null | awk '{ sum += $1 } END { print sum + 0 }')
    total=$((total + passed))
  done
  echo "logs: $logs"
  if [ "$failed" -gt 0 ]; then
    echo "$total passed, $failed of ${#rows[@]} steps failed, in $((SECONDS / 60)) min $((SECONDS % 60)) s"
    exit 1
  fi
  for row in "${rows[@]}"; do
    case $row in *'|passed') ;; *) echo "$total passed, but not every step could be run"; exit 75 ;; esac
  done
  echo "$total passed, 0 failed, in $((SECONDS / 60)) min $((SECONDS % 60)) s"
}
