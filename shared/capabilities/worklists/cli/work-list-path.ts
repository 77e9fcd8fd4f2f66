import { API_KINDS } from '../../../domain/kinds/api-kinds.ts';
import { pathsOf } from '../../../../cli/client/kube-client.ts';

export const workListPath = pathsOf(API_KINDS.WorkList);
