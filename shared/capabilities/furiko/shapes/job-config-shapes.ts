import {
  BOOL,
  INT64,
  REQUIRED,
  STRING,
  STRINGS,
  TIME,
  ZERO_SHOWN,
  field,
  listOf,
  object,
} from '../../../schema/kinds/field.ts';
import { FURIKO } from './openapi-prefix.ts';
import type { KindTable } from '../../../schema/kinds/kind-table.ts';

/** Furiko's JobConfig, `execution.furiko.io/v1alpha1`: a template of Jobs, with a schedule and options. */
export const FURIKO_JOB_CONFIG_KINDS = {
  JobConfig: {
    openapi: `${FURIKO}.JobConfig`,
    description: 'What Jobs are made from: a template, how many run at once, a schedule, and options.',
    apiVersion: 'execution.furiko.io/v1alpha1',
    jsonOnly: true,
    fields: {
      metadata: field(1, object('ObjectMeta'), 'Name, labels and annotations. The name has at most 49 characters.'),
      spec: field(2, object('JobConfigSpec'), 'The template, and when Jobs are made from it.'),
      status: field(3, object('JobConfigStatus'), 'Its Jobs. Set by Muster.'),
    },
  },
  JobConfigSpec: {
    openapi: `${FURIKO}.JobConfigSpec`,
    description: 'What Jobs are made from, and when.',
    fields: {
      template: field(1, object('FurikoJobTemplateSpec'), 'The Jobs.', REQUIRED),
      concurrency: field(2, object('JobConfigConcurrency'), 'How many of them are active at once.', REQUIRED),
      schedule: field(3, object('JobConfigSchedule'), 'When they are made.', ZERO_SHOWN),
      option: field(4, object('JobConfigOptions'), 'What those who run it can choose.', ZERO_SHOWN),
    },
  },
  FurikoJobTemplateSpec: {
    openapi: `${FURIKO}.JobTemplateSpec`,
    description: 'A template of Jobs.',
    fields: {
      metadata: field(1, object('ObjectMeta'), 'Labels and annotations of the Jobs.'),
      spec: field(2, object('FurikoJobTemplate'), 'What their tasks run.', REQUIRED),
    },
  },
  JobConfigConcurrency: {
    openapi: `${FURIKO}.ConcurrencySpec`,
    description: 'How many Jobs of a JobConfig are active at once.',
    fields: {
      policy: field(
        1,
        STRING,
        'Allow: as many as there are. Forbid: no Job is made beyond maxConcurrency. Enqueue: it is made, and waits for its turn; 20 may wait.',
        REQUIRED,
      ),
      maxConcurrency: field(2, INT64, 'Defaults to 1. Not with Allow.', ZERO_SHOWN),
    },
  },
  JobConfigSchedule: {
    openapi: `${FURIKO}.ScheduleSpec`,
    description: 'When Jobs are made by themselves.',
    fields: {
      cron: field(1, object('JobConfigCron'), 'The schedule in the form of cron.', ZERO_SHOWN),
      disabled: field(2, BOOL, 'True: no Jobs are made for now.', ZERO_SHOWN),
      constraints: field(3, object('JobConfigConstraints'), 'From when on, and until when.', ZERO_SHOWN),
      lastUpdated: field(
        4,
        TIME,
        'When the schedule changed last: what was missed before it is not made up for. Set by Muster.',
        ZERO_SHOWN,
      ),
    },
  },
  JobConfigCron: {
    openapi: `${FURIKO}.CronSchedule`,
    description: 'A schedule in the form of cron. Either expression or expressions is given.',
    fields: {
      expression: field(
        1,
        STRING,
        'Five to seven fields: seconds (optional), minutes, hours, day, month, day of the week, year (optional). H stands for a value that each JobConfig has its own of.',
      ),
      expressions: field(2, STRINGS, 'Several of them. A Job is made once for a second that more than one names.'),
      timezone: field(3, STRING, 'A time zone such as Asia/Singapore, or an offset such as UTC+8. Defaults to UTC.'),
    },
  },
  JobConfigConstraints: {
    openapi: `${FURIKO}.ScheduleContraints`,
    description: 'From when on, and until when, a schedule makes Jobs.',
    fields: {
      notBefore: field(1, TIME, 'The earliest time of the schedule that counts.', ZERO_SHOWN),
      notAfter: field(2, TIME, 'The latest.', ZERO_SHOWN),
    },
  },
  JobConfigOptions: {
    openapi: `${FURIKO}.OptionSpec`,
    description: 'What those who run a JobConfig can choose.',
    fields: {
      options: field(1, listOf(object('JobConfigOption')), 'Each has a variable: ${option.NAME}.'),
    },
  },
  JobConfigOption: {
    openapi: `${FURIKO}.Option`,
    description: 'One choice. Only the block of its own type is given.',
    fields: {
      type: field(1, STRING, 'Bool, String, Select, Multi or Date.', REQUIRED),
      name: field(2, STRING, 'Its name: letters, digits, dots, hyphens and underscores.', REQUIRED),
      label: field(3, STRING, 'What people are asked.'),
      required: field(4, BOOL, 'Whether a value must be given.'),
      bool: field(5, object('BoolOption'), 'For a Bool: what it stands for.', ZERO_SHOWN),
      string: field(6, object('StringOption'), 'For a String.', ZERO_SHOWN),
      select: field(7, object('SelectOption'), 'For a Select: one of several values.', ZERO_SHOWN),
      multi: field(8, object('MultiOption'), 'For a Multi: any of several values.', ZERO_SHOWN),
      date: field(9, object('DateOption'), 'For a Date: how it is written.', ZERO_SHOWN),
    },
  },
  BoolOption: {
    openapi: `${FURIKO}.BoolOptionConfig`,
    description: 'True or false.',
    fields: {
      default: field(1, BOOL, 'The value if none is given.', REQUIRED),
      format: field(2, STRING, 'TrueFalse (the default), OneZero, YesNo or Custom.'),
      trueVal: field(3, STRING, 'With Custom: what true stands for.'),
      falseVal: field(4, STRING, 'With Custom: what false stands for.'),
    },
  },
  StringOption: {
    openapi: `${FURIKO}.StringOptionConfig`,
    description: 'A text.',
    fields: {
      default: field(1, STRING, 'The value if none is given.'),
      trimSpaces: field(2, BOOL, 'Whether spaces at both ends are dropped.'),
    },
  },
  SelectOption: {
    openapi: `${FURIKO}.SelectOptionConfig`,
    description: 'One of several values.',
    fields: {
      default: field(1, STRING, 'The value if none is given.'),
      values: field(2, STRINGS, 'The values to choose from.', REQUIRED),
      allowCustom: field(3, BOOL, 'Whether others are taken, too.'),
    },
  },
  MultiOption: {
    openapi: `${FURIKO}.MultiOptionConfig`,
    description: 'Any of several values.',
    fields: {
      default: field(1, STRINGS, 'The values if none are given.'),
      delimiter: field(2, STRING, 'What stands between them.', REQUIRED),
      values: field(3, STRINGS, 'The values to choose from.', REQUIRED),
      allowCustom: field(4, BOOL, 'Whether others are taken, too.'),
    },
  },
  DateOption: {
    openapi: `${FURIKO}.DateOptionConfig`,
    description: 'A time.',
    fields: { format: field(1, STRING, 'How it is written, in the words of moment.js. Defaults to RFC 3339.') },
  },
  JobConfigStatus: {
    openapi: `${FURIKO}.JobConfigStatus`,
    description: 'The Jobs of a JobConfig.',
    fields: {
      state: field(1, STRING, 'Ready, ReadyEnabled, ReadyDisabled, JobQueued or Executing.'),
      queued: field(2, INT64, 'How many Jobs wait for their turn.'),
      queuedJobs: field(3, listOf(object('JobConfigJob')), 'Which.'),
      active: field(4, INT64, 'How many Jobs are active.'),
      activeJobs: field(5, listOf(object('JobConfigJob')), 'Which.'),
      lastScheduled: field(6, TIME, 'The latest time of the schedule that a Job was made for.', ZERO_SHOWN),
      lastExecuted: field(7, TIME, 'When a Job started last.', ZERO_SHOWN),
    },
  },
  JobConfigJob: {
    openapi: `${FURIKO}.JobReference`,
    description: 'A Job of a JobConfig.',
    fields: {
      uid: field(1, STRING, 'Its uid.', REQUIRED),
      name: field(2, STRING, 'Its name.', REQUIRED),
      creationTimestamp: field(3, TIME, 'When it was created.', REQUIRED),
      phase: field(4, STRING, 'Where it stands.'),
      startTime: field(5, TIME, 'When it started.', ZERO_SHOWN),
    },
  },
} as const satisfies KindTable;
