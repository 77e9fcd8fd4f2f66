import { OPENED_BY_SUBMIT } from '../../shared/capabilities/lists/opened-by-functions.ts';
import { processRuntime } from '../../shared/runtime/options-from-env.ts';
import { submitHandler } from '../../shared/runtime/submit-handler.ts';

export const handler = submitHandler(() => processRuntime(OPENED_BY_SUBMIT));
