import type { JSX } from 'preact';
import { useEffect, useRef, useState } from 'preact/hooks';
import { ApiError, ask, textOf, wordsOf } from '../../api/client.ts';
import { oneOf } from '../../api/paths.ts';
import { musterLine } from '../../model/commands.ts';
import { numberWords } from '../../model/job-row.ts';
import { LINES_MAX, type LogLine, linesWith, partsAround, withLines } from '../../model/log-lines.ts';
import { cutLines } from '../../model/stream-lines.ts';
import type { Try } from '../../model/tries.ts';
import { CommandLine } from '../../parts/copy.tsx';
import { query, setQuery } from '../../parts/location.ts';
import { Fault } from '../../parts/states.tsx';
import { Section, useWindow } from '../../parts/windowed.tsx';

const LINE_PX = 19;
const FLUSH_MS = 100;
const TAIL = 5_000;
const RETRY_MS = 2_000;

type LogProps = { readonly namespace: string; readonly job: string; readonly index: number; readonly shown: Try };

/** The log of an attempt, live while it runs, with search. */
export function Log({ namespace, job, index, shown }: LogProps): JSX.Element {
  const isWhole = query.value.get('log') === 'whole';
  const search = query.value.get('find') ?? '';
  const hasTimes = query.value.get('times') === '1';
  const { lines, isOpen, fault } = useLog(namespace, shown, isWhole);
  const hits = linesWith(lines, search);
  const [hit, setHit] = useState(0);
  const { ref, from, to } = useWindow<HTMLDivElement>(lines.length, LINE_PX, false);
  const isAtEnd = useRef(true);
  useEffect(() => {
    if (ref.current !== null && isAtEnd.current && search === '') ref.current.scrollTop = ref.current.scrollHeight;
  }, [lines.length, search]);
  const showHit = (nth: number): void => {
    const at = (nth + hits.length) % Math.max(hits.length, 1);
    setHit(at);
    if (ref.current !== null)
      ref.current.scrollTop = Math.max((hits[at] ?? 0) * LINE_PX - ref.current.clientHeight / 2, 0);
  };
  const isCut = !isWhole && lines.length >= TAIL;
  return (
    <Section
      title="Log"
      aside={
        <>
          <span class={isOpen ? 'live' : 'muted'}>
            {isOpen ? '● live' : 'ended'} · {numberWords(lines.length)} lines
          </span>
          <input
            type="search"
            placeholder="Find in the log"
            aria-label="Find in the log"
            value={search}
            onInput={({ currentTarget }) => setQuery({ find: currentTarget.value })}
            onKeyDown={(event) => {
              if (event.key === 'Enter') showHit(event.shiftKey ? hit - 1 : hit + 1);
            }}
          />
          {search === '' ? null : (
            <>
              <span class="muted number">
                {hits.length === 0 ? 'not found' : `${Math.min(hit + 1, hits.length)} of ${numberWords(hits.length)}`}
              </span>
              <button
                type="button"
                class="small quiet"
                aria-label="The hit before"
                disabled={hits.length === 0}
                onClick={() => showHit(hit - 1)}
              >
                ↑
              </button>
              <button
                type="button"
                class="small quiet"
                aria-label="The next hit"
                disabled={hits.length === 0}
                onClick={() => showHit(hit + 1)}
              >
                ↓
              </button>
            </>
          )}
          <label class="check">
            <input type="checkbox" checked={hasTimes} onChange={() => setQuery({ times: hasTimes ? null : '1' })} />{' '}
            times
          </label>
        </>
      }
    >
      {fault === null ? null : <Fault title="The log cannot be read." why={fault} />}
      {isCut ? (
        <p class="muted">
          The last {numberWords(TAIL)} lines.{' '}
          <button type="button" class="small quiet" onClick={() => setQuery({ log: 'whole' })}>
            All, up to {numberWords(LINES_MAX)}
          </button>
        </p>
      ) : null}
      <div
        class="log"
        ref={ref}
        tabIndex={0}
        role="log"
        aria-label={`Log of attempt ${shown.attempt}`}
        aria-live="off"
        onScroll={({ currentTarget }) => {
          isAtEnd.current = currentTarget.scrollTop + currentTarget.clientHeight > currentTarget.scrollHeight - LINE_PX;
        }}
      >
        {lines.length === 0 ? (
          <p class="muted">{isOpen ? 'Nothing is printed yet.' : fault === null ? 'It has printed nothing.' : ''}</p>
        ) : null}
        <div class="log-whole" style={{ height: `${lines.length * LINE_PX}px` }}>
          <div class="log-lines" style={{ transform: `translateY(${from * LINE_PX}px)` }}>
            {lines.slice(from, to).map((line, nth) => (
              <Line
                key={from + nth}
                nth={from + nth}
                line={line}
                search={search}
                hasTimes={hasTimes}
                isHit={hits[hit] === from + nth}
              />
            ))}
          </div>
        </div>
      </div>
      <CommandLine
        text={musterLine(
          namespace,
          'logs',
          job,
          '--index',
          String(index),
          '--attempt',
          String(shown.attempt),
          ...(shown.isLive ? ['-f'] : []),
        )}
      />
    </Section>
  );
}

type LineProps = {
  readonly nth: number;
  readonly line: LogLine;
  readonly search: string;
  readonly hasTimes: boolean;
  readonly isHit: boolean;
};

const Line = ({ nth, line, search, hasTimes, isHit }: LineProps): JSX.Element => (
  <div class={isHit ? 'log-line hit' : 'log-line'}>
    <span class="log-number" aria-hidden="true">
      {nth + 1}
    </span>
    {hasTimes ? <time class="log-time">{line.at?.slice(11, 23) ?? ''}</time> : null}
    <span>
      {partsAround(line.text, search).map((part, at) => (at % 2 === 1 ? <mark key={at}>{part}</mark> : part))}
    </span>
  </div>
);

type Read = { readonly lines: readonly LogLine[]; readonly isOpen: boolean; readonly fault: string | null };

/** Reads the log of an attempt, and follows it while it runs and the page is seen. */
function useLog(namespace: string, { pod, hasStarted, isLive }: Try, isWhole: boolean): Read {
  const [read, setRead] = useState<Read>({ lines: [], isOpen: true, fault: null });
  useEffect(() => {
    if (!hasStarted) {
      setRead({ lines: [], isOpen: isLive, fault: isLive ? null : 'It never started, so it has printed nothing.' });
      return;
    }
    let connection = new AbortController();
    const follow = async (aborted: AbortSignal): Promise<void> => {
      const words = new URLSearchParams({
        follow: 'true',
        timestamps: 'true',
        ...(isWhole ? {} : { tailLines: String(TAIL) }),
      });
      const response = await ask(`${oneOf('pods', namespace, pod)}/log?${words}`, { signal: aborted });
      let rest = '';
      let waiting: readonly string[] = [];
      let timer: ReturnType<typeof setTimeout> | null = null;
      let lines: readonly LogLine[] = [];
      const flush = (): void => {
        timer = null;
        if (aborted.aborted) return;
        lines = withLines(lines, waiting);
        waiting = [];
        setRead({ lines, isOpen: true, fault: null });
      };
      for await (const text of textOf(response)) {
        const cut = cutLines(rest, text);
        ({ rest } = cut);
        waiting = [...waiting, ...cut.lines];
        timer ??= setTimeout(flush, FLUSH_MS);
      }
      if (timer !== null) clearTimeout(timer);
      if (rest !== '') waiting = [...waiting, rest];
      flush();
      setRead({ lines, isOpen: false, fault: null });
    };
    const run = async (aborted: AbortSignal): Promise<void> => {
      for (;;)
        try {
          await follow(aborted);
          return;
        } catch (error) {
          if (aborted.aborted) return;
          setRead((before) => ({ ...before, isOpen: false, fault: wordsOf(error) }));
          if (error instanceof ApiError && error.code < 500 && error.code !== 429) return;
          await new Promise((resolve) => setTimeout(resolve, RETRY_MS));
        }
    };
    const onSeen = (): void => {
      connection.abort();
      if (document.visibilityState !== 'visible') return;
      connection = new AbortController();
      void run(connection.signal);
    };
    document.addEventListener('visibilitychange', onSeen);
    onSeen();
    return () => {
      document.removeEventListener('visibilitychange', onSeen);
      connection.abort();
    };
  }, [namespace, pod, hasStarted, isWhole]);
  return read;
}
