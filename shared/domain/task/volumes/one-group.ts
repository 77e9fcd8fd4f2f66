import type { TaskContainer, TaskDefinition } from '../task.ts';

/** The same definition for an ECS whose programs have one group each: `user` says it, and nothing else can. */
export function inOneGroup(definition: TaskDefinition): TaskDefinition {
  const { volumeGroups = [] } = definition;
  return {
    ...definition,
    containers: definition.containers.map(withOneGroup),
    ...(volumeGroups.length === 0
      ? {}
      : { volumeGroups: volumeGroups.map(({ volume, group, inOneGroup: one = group }) => ({ volume, group: one })) }),
  };
}

function withOneGroup({ groups: _, userInOneGroup, ...container }: TaskContainer): TaskContainer {
  return userInOneGroup === undefined ? container : { ...container, user: userInOneGroup };
}

/** The same definition for tasks whose programs all have one user, who owns their volumes: a group would change nothing. */
export const withoutGroups = ({ volumeGroups: _, ...definition }: TaskDefinition): TaskDefinition => ({
  ...definition,
  containers: definition.containers.map(({ groups: _groups, userInOneGroup: _user, ...container }) => container),
});
