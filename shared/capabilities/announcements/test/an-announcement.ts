import type { Announcement } from '../domain/announcement.ts';
import { asJobUid } from '../../../domain/base/ids.ts';

/** A change of state of Job default/work, of three indexes. */
export function anAnnouncement(
  detail: Partial<Announcement['detail']> & Pick<Announcement['detail'], 'state'>,
  taskToken: string | null = null,
): Announcement {
  const { version = 7, uid = 'uid-1' } = detail;
  const id = `${uid}/${version}`;
  return {
    id,
    uid: asJobUid(uid),
    version,
    taskToken,
    detail: {
      id,
      time: '2027-01-15T08:00:00Z',
      version,
      namespace: 'default',
      name: 'work',
      uid,
      labels: {},
      completionMode: 'Indexed',
      completions: 3,
      parallelism: 2,
      status: { conditions: [] },
      ...detail,
    },
  };
}
