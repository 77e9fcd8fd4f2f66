import { type PlantedFault, one } from '../../../../test/planted/planted-fault.ts';

const HOSTS = 'shared/capabilities/hostnames/control/hosts.ts';
const HOSTS_CLOSING = 'shared/capabilities/hostnames/control/hosts-closing.ts';
const HOSTS_NEWS = 'shared/capabilities/hostnames/control/hosts-update.ts';
const HOSTS_SWEEP = 'shared/capabilities/hostnames/control/hosts-sweep.ts';
const HOST_CALLS = 'shared/capabilities/hostnames/control/host-calls.ts';
const HOSTS_READY = 'shared/capabilities/hostnames/control/hosts-ready.ts';

/** Mistakes with the names of tasks, and with those of gangs. */
export const NAME_FAULTS: readonly PlantedFault[] = [
  one(
    'a task is registered before that is written down',
    HOSTS,
    'const hosts = homes.map((host) => withTasks(host, calls));',
    'const hosts = homes.map((host) => withTasks(host, []));',
    ['G10'],
  ),
  one(
    'a name is taken from whichever task has it',
    HOSTS,
    'hostnames.deregister(host.serviceId, instanceIdOf(host.index, task)),',
    'Promise.all([task, ...homes.flatMap((home) => (home.index === host.index ? home.tasks : [])), ...calls.flatMap((c) => (c.index === host.index ? [c.task] : []))].map(async (each) => hostnames.deregister(host.serviceId, instanceIdOf(host.index, each)))).then(([first]) => first!),',
    ['G7'],
  ),
  one(
    'what a Job has reserved is given back before its names are gone',
    HOSTS_CLOSING,
    'if (left === 0) return hosts.release(uid);',
    'await hosts.release(uid);\n  if (left === 0) return;',
    ['G7'],
  ),
  {
    name: 'the names of a Job that is over are forgotten',
    edits: [
      { file: HOSTS_NEWS, find: 'isNameless(after.phase)\n    ? closing(uid, before)\n    : ', replace: '' },
      {
        file: HOSTS_SWEEP,
        find: "if (isNameless(status.phase)) return now < plusMs(status.now, CLOSING_MS) ? [] : [{ kind: 'closeHosts', uid }];",
        replace: 'if (isNameless(status.phase)) return [];',
      },
    ],
    breaks: ['G7'],
  },
  one(
    'nobody looks for services that no Job needs',
    HOSTS_SWEEP,
    '!(await known.has(service.name)))\n        strange.push(service);',
    '!(await known.has(service.name)))\n        void service;',
    ['G7'],
  ),
  one(
    'a gang’s record has the same id each time that all run',
    HOST_CALLS,
    'index === READY_INDEX ? `${taskIdOf(taskArn)}-${attempt}-${nonce}` : taskIdOf(taskArn);',
    'index === READY_INDEX ? `${taskIdOf(taskArn)}-${attempt - attempt}-${nonce - nonce}` : taskIdOf(taskArn);',
    ['G23'],
    'gang',
  ),
  one(
    'a gang’s name stays when one of it has ended',
    HOSTS_READY,
    'const remove = listed.filter((each) => task === null || idOf(each.task) !== idOf(task));',
    'const remove = listed.filter((each) => task !== null && idOf(each.task) !== idOf(task));',
    ['G7', 'G23'],
    'gang',
  ),
];
