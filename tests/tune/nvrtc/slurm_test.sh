# scripts/tune_slurm on a real Slurm of one node, this one: munged, slurmctld and slurmd of our own, with the emulator's counts as objective.
. tests/shell/check.bash
skip() { echo "slurm_test: skipped: $1"; exit 77; }
PATH=$PATH:/usr/sbin:/sbin
for tool in munged slurmctld slurmd sbatch; do command -v $tool >/dev/null || skip "no $tool here (Debian: slurmd slurmctld munge)"; done
"$KGEN" --doctor 2>&1 | grep -qi 'nvrtc.*none' && skip "no NVRTC"
# munged requires that no other user can write to any parent of its socket; in /tmp, that needs a private directory.
chmod 755 "$tmp"
mkdir state spool
stop() { for daemon in slurmd slurmctld munged; do [ -s $daemon.pid ] && kill "$(cat $daemon.pid)" 2>/dev/null; done; }
trap 'stop; sleep 0.2; chmod -R u+w "$tmp"; rm -rf "$tmp"' EXIT

# --- a cluster of one node ---
head -c 1024 /dev/urandom >munge.key; chmod 600 munge.key
munged --force --key-file="$tmp/munge.key" --socket="$tmp/munge.sock" --pid-file="$tmp/munged.pid" --log-file="$tmp/munged.log" \
  --seed-file="$tmp/munge.seed" 2>munged.err || skip "munged does not start: $(head -1 munged.err)"
host=$(hostname -s)
port=$((20000 + $$ % 20000))
cat >slurm.conf <<E2
ClusterName=kgen
SlurmctldHost=$host(127.0.0.1)
SlurmUser=$(id -un)
SlurmdUser=$(id -un)
AuthType=auth/munge
AuthInfo=socket=$tmp/munge.sock
SlurmctldPort=$port
SlurmdPort=$((port + 1))
StateSaveLocation=$tmp/state
SlurmdSpoolDir=$tmp/spool
SlurmctldPidFile=$tmp/slurmctld.pid
SlurmdPidFile=$tmp/slurmd.pid
SlurmctldLogFile=$tmp/slurmctld.log
SlurmdLogFile=$tmp/slurmd.log
ProctrackType=proctrack/linuxproc
TaskPlugin=task/none
MpiDefault=none
JobAcctGatherType=jobacct_gather/none
AccountingStorageType=accounting_storage/none
SelectType=select/cons_tres
SelectTypeParameters=CR_CPU
ReturnToService=2
NodeName=$host NodeAddr=127.0.0.1 CPUs=$(nproc) State=UNKNOWN
PartitionName=all Nodes=$host Default=YES MaxTime=INFINITE State=UP
E2
export SLURM_CONF=$tmp/slurm.conf
slurmctld -f slurm.conf 2>ctld.err || skip "slurmctld does not start: $(head -1 ctld.err)"
slurmd -f slurm.conf -N "$host" 2>slurmd.err || skip "slurmd does not start: $(head -1 slurmd.err)"
for _ in $(seq 100); do sinfo -h -o %t 2>/dev/null | grep -q idle && break; sleep 0.1; done
sinfo -h -o %t 2>/dev/null | grep -q idle || skip "the node does not come up: $(tail -n 1 slurmd.log)"

# --- a search in two parts ---
printf 'version: 1\nkernel: scan_rows\nname: rows\ndtype: f32\nparams: {method: 1}\n' >rows.yaml
export KGEN_WISDOM=$tmp/w.jsonl
bash "$source_dir/scripts/tune_slurm" --tasks 2 --dir "$tmp/jobs" -- "$tmp/rows.yaml" --device emulator --templates "$source_dir/templates" >told
check $? "tune_slurm fails"
for _ in $(seq 1800); do [ -z "$(squeue -h)" ] && break; sleep 0.1; done
holds "all jobs are done" test -z "$(squeue -h)"
check "$([ "$(cat w.jsonl | wc -l)" = 5 ]; echo $?)" "5 measurements are wanted, not $(cat w.jsonl | wc -l):
$(tail -n 3 jobs/log/*)"
holds "both parts have some" test -s jobs/part.1.jsonl -a -s jobs/part.2.jsonl
holds "what was compiled is there" test -n "$(ls jobs/cache)"
grep -q 'compiled, 0 measured' jobs/log/compile.1; check $? "the first array only compiles:
$(cat jobs/log/compile.1)"
unset KGEN_CACHE_DIR
exits 0 --tune --device emulator --templates "$source_dir/templates" --json -q rows.yaml
python3 -c 'import json; t = json.load(open("stdout"))["tune"][0]; assert t["known"] == 5 and t["configurations"][0]["set"] == {"bx": 1024}'
check $? "the merged records do not know the best"
verdict slurm_test
