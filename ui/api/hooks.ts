import type { RefObject } from 'preact';
import { useEffect, useRef, useState } from 'preact/hooks';
import type { KubeObject } from '../model/objects.ts';
import { ApiError, askJson, asksWho, wordsOf } from './client.ts';
import { pacedCalls } from './paced-calls.ts';
import { type Watched, watchObjects } from './watch.ts';

const NONE: Readonly<Record<string, string>> = {};

/** Objects of a list, live. */
export function useWatch<T extends KubeObject>(path: string, query = NONE): Watched<T> {
  const [watched, setWatched] = useState<Watched<T>>({ objects: new Map(), state: { kind: 'loading' } });
  const words = new URLSearchParams(query).toString();
  const who = asksWho.value;
  useEffect(() => {
    setWatched({ objects: new Map(), state: { kind: 'loading' } });
    return watchObjects<T>(path, Object.fromEntries(new URLSearchParams(words)), setWatched);
  }, [path, words, who]);
  return watched;
}

export type Answer<T> = {
  /** The newest that has come; null: none yet. */
  readonly value: T | null;
  /** What the newest try said, if it failed. */
  readonly error: { readonly code: number | null; readonly why: string } | null;
};

/**
 * What a request answers, asked again when `version` changes, at most every `pauseMs`. null as path: nothing is asked.
 */
export function useAnswer<T>(path: string | null, version: string, pauseMs: number): Answer<T> {
  const [answer, setAnswer] = useState<Answer<T> & { readonly path: string | null }>({
    value: null,
    error: null,
    path,
  });
  const again = useRef<(() => void) | null>(null);
  const who = asksWho.value;
  useEffect(() => {
    if (path === null) return;
    const paced = pacedCalls(pauseMs, async (aborted) => {
      try {
        const value = await askJson<T>(path, { signal: aborted });
        setAnswer({ value, error: null, path });
      } catch (error) {
        if (aborted.aborted) return;
        const code = error instanceof ApiError ? error.code : null;
        const value = (before: typeof answer): T | null => (before.path === path ? before.value : null);
        setAnswer((before) => ({ value: value(before), error: { code, why: wordsOf(error) }, path }));
      }
    });
    again.current = paced.call;
    return paced.stop;
  }, [path, pauseMs, who]);
  useEffect(() => again.current?.(), [path, version, pauseMs, who]);
  return answer.path === path ? answer : { value: null, error: null };
}

/** Whether a part of a view has been on the screen: what is below it is not asked for before. */
export function useSeen<E extends Element>(): readonly [RefObject<E | null>, boolean] {
  const ref = useRef<E>(null);
  const [isSeen, setSeen] = useState(false);
  useEffect(() => {
    const element = ref.current;
    if (element === null || isSeen) return;
    const observer = new IntersectionObserver((entries) => {
      if (entries.some(({ isIntersecting }) => isIntersecting)) setSeen(true);
    });
    observer.observe(element);
    return () => observer.disconnect();
  }, [isSeen]);
  return [ref, isSeen];
}

/** The clock, told every `everyMs` while the page is seen. */
export function useNow(everyMs: number): number {
  const [now, setNow] = useState(() => Date.now());
  useEffect(() => {
    const timer = setInterval(() => {
      if (document.visibilityState === 'visible') setNow(Date.now());
    }, everyMs);
    return () => clearInterval(timer);
  }, [everyMs]);
  return now;
}
