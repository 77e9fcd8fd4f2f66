import { openTaskAnswers } from '../../shared/capabilities/announcements/adapters/open-task-answers.ts';
import { processRuntime } from '../../shared/runtime/options-from-env.ts';
import { submitHandler } from '../../shared/runtime/submit-handler.ts';

export const handler = submitHandler(() => processRuntime(openTaskAnswers));
