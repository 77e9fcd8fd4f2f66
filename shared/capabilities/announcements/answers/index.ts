export { openTaskAnswers } from './open-task-answers.ts';
