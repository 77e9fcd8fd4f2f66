// Prints flow.yaml: a Job that maps, and Jobs that merge its results by pairs, each with half of the indexes of the one before,
// down to one.
//
//   node flow.mjs 200 > flow.yaml

const pieces = Number(process.argv[2] ?? 200);
const jobs = [job('map', pieces, null, ['sh', 'map.sh'])];
for (let before = { name: 'map', completions: pieces }; before.completions > 1; ) {
  const completions = Math.ceil(before.completions / 2);
  const name = `merge-${completions}`;
  jobs.push(job(name, completions, `${before.name}/2`, ['sh', 'merge.sh', before.name, before.completions, name]));
  before = { name, completions };
}
console.log(jobs.join('---\n').trimEnd());

/** A manifest; index i of it starts when 2i and 2i + 1 of `afterIndexes` have succeeded. */
function job(name, completions, afterIndexes, command) {
  const annotations = afterIndexes === null ? '' : `\n  annotations:\n    muster.run/after-indexes: ${afterIndexes}`;
  return `apiVersion: batch/v1
kind: Job
metadata:
  name: ${name}${annotations}
spec:
  completionMode: Indexed
  completions: ${completions}
  parallelism: 8
  backoffLimitPerIndex: 3
  template:
    spec:
      restartPolicy: Never
      containers:
        - name: ${name.replace(/-.*/, '')}
          image: public.ecr.aws/docker/library/debian:12-slim
          workingDir: /workspace # the workspace of a Muster on this machine
          command: [${command.map((word) => (typeof word === 'number' ? `'${word}'` : word)).join(', ')}]
          resources:
            requests:
              cpu: 250m
              memory: 512Mi
`;
}
