import { ANNOTATIONS } from '../../shared/domain/manifests/annotations.ts';
import { PLAYS } from '../dst/plays.ts';
import { type Scenario, scenarioOf } from '../dst/scenario.ts';
import { AS_IS } from '../dst/variation.ts';
import { SPECS } from './about-specs.ts';
import type { PlantedFault } from './planted-fault.ts';

/** The seeds that are about a guarantee; the others are checked for it as well, but it seldom matters there. */
const KIND_OF: Readonly<Record<string, Scenario['kind']>> = {
  G17: 'cron',
  G19: 'cron',
  G22: 'chain',
  G26: 'recall',
};

type Job = Scenario['jobs'][number];

/** G24 has no kind of its own: some Jobs of a storm have deadlines. */
const hasDeadline = ({ manifest: { metadata, spec } }: Job): boolean =>
  metadata.annotations?.[ANNOTATIONS.indexDeadline] !== undefined ||
  spec.template.spec.activeDeadlineSeconds !== undefined;

const isAboutJob = (about: NonNullable<PlantedFault['about']>, { manifest }: Job): boolean =>
  about in SPECS
    ? SPECS[about as keyof typeof SPECS](manifest.spec)
    : manifest.metadata.annotations?.[ANNOTATIONS[about as keyof typeof ANNOTATIONS]] !== undefined;

/** Boards of this size take seconds. */
const LARGE = 1_000;
/** At most so many seeds that are about the fault, all below this number. */
const ABOUT_MAX = 200;
const ABOUT_BELOW = 4_000;

/**
 * The seeds in the order in which a planted fault shows soonest: those that are about it, then the others of the first `count`, and
 * last those with large Jobs; each is looked for once it is asked for. Many are about it, so that a change of what the seeds do
 * seldom hides a fault.
 */
export function* seedsFor(
  { breaks, about, shownBy }: Pick<PlantedFault, 'breaks' | 'about' | 'shownBy'>,
  count: number,
): Generator<number> {
  const kinds = breaks.map((guarantee) => KIND_OF[guarantee]);
  const isPlayed = PLAYS.some(({ guarantee }) => breaks.includes(guarantee));
  const isAbout = ({ kind, jobs, played }: Scenario): boolean =>
    about === undefined
      ? kinds.includes(kind) ||
        (played !== undefined && breaks.includes(played.play.guarantee)) ||
        (breaks.includes('G24') && jobs.some(hasDeadline))
      : jobs.some((job) => isAboutJob(about, job));
  const below =
    about === undefined && !isPlayed && !breaks.includes('G24') && kinds.every((kind) => kind === undefined)
      ? count
      : ABOUT_BELOW;
  if (shownBy !== undefined) yield shownBy;
  let fit = 0;
  const others: number[] = [];
  const large: number[] = [];
  for (let seed = 0; seed < (fit < ABOUT_MAX ? below : count); seed++) {
    const scenario = scenarioOf(seed, AS_IS);
    const isLarge = scenario.jobs.some(({ manifest }) => (manifest.spec.completions ?? 0) > LARGE);
    if (!isLarge && fit < ABOUT_MAX && isAbout(scenario)) {
      fit++;
      yield seed;
    } else if (seed < count) (isLarge ? large : others).push(seed);
  }
  yield* others;
  yield* large;
}
