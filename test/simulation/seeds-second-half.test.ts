import { describeSeeds } from './describe-seeds.ts';

describeSeeds(150, 300);
