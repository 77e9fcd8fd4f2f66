import { ApiFailure } from '../../../cli/shell/failure.ts';
import { type Counts, countsOf, createJob, endOf, indexed, shellJob, toldCounts } from '../ground.ts';
import { NotAsked } from '../not-asked.ts';
import { type Question, verdict } from '../question.ts';

/** busybox asks the VPC's resolver; embedded, nothing but the server in MUSTER_DNS knows the names. */
const LOOK_UP = [
  'other=$(printf "$MUSTER_HOSTS_PATTERN" $((1 - JOB_COMPLETION_INDEX)))',
  'ask="const r = new (require(\'node:dns\').promises.Resolver)(); r.setServers([process.env.MUSTER_DNS]);"',
  'ask="$ask r.resolve4(process.argv[1]).then(console.log, () => process.exit(1))"',
  'look() { if [ -n "$MUSTER_DNS" ]; then node -e "$ask" "$other"; else nslookup -type=a "$other" || nslookup "$other"; fi; }',
  'until look; do sleep 1; done',
  'sleep 60', // so that the other finds this one
].join('\n');

/** Two tasks that look each other up. */
export const names: Question<Counts> = {
  name: 'names',
  asks: 'Do two tasks find each other by name?',
  assumed: 'both look-ups succeed while both run',
  async observe(ground) {
    const job = shellJob(ground, 'names', LOOK_UP, { ...indexed(2), backoffLimit: 0, pod: { subdomain: 'smoke' } });
    try {
      await createJob(ground, job);
    } catch (error) {
      if (error instanceof ApiFailure && error.status.code === 422)
        throw new NotAsked('the stack was deployed without `-c hostnames`');
      throw error;
    }
    return countsOf(await endOf(ground, 'names'));
  },
  judge: (seen) => verdict([seen.end === 'Complete', seen.succeeded === 2], toldCounts(seen)),
};
