import { describeSeeds } from './describe-seeds.ts';

// Two files, so that two cores share the work.
describeSeeds(0, 150);
