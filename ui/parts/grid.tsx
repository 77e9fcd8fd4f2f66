import { useEffect, useLayoutEffect, useMemo, useRef, useState } from 'preact/hooks';
import type { JSX } from 'preact';
import { askJson } from '../api/client.ts';
import { ofJob } from '../api/paths.ts';
import type { Attempts } from '../model/answers.ts';
import { lookOf } from '../model/cell-looks.ts';
import type { Cells } from '../model/cells.ts';
import {
  CELL_SIZES_PX,
  cornerOf,
  fittingSizePx,
  indexAt,
  labelledEvery,
  layoutGrid,
  moved,
  nextSizePx,
  rowsWithin,
} from '../model/grid-layout.ts';
import { pathOf } from '../model/route.ts';
import { durationWords, msOf } from '../model/time-words.ts';
import { drawCells, paletteOf } from './draw-cells.ts';
import { go } from './location.ts';
import { colours } from './theme.ts';

const HEIGHT_MAX_PX = 420;
const LABELS_PX = 64;
const LABELS_APART_PX = 36;
const ASK_AFTER_MS = 160;

type GridProps = {
  readonly namespace: string;
  readonly name: string;
  readonly cells: Cells;
  /** Changes with the cells, whose array is written over. */
  readonly version: number;
  /** Only these states have their colours; null: all. */
  readonly wanted: ReadonlySet<string> | null;
  /** null: as large as lets all cells be seen. */
  readonly cellPx: number | null;
  readonly onZoom: (cellPx: number | null) => void;
};

/** A cell for each index of a Job, up to a million. */
export function Grid({ namespace, name, cells, version, wanted, cellPx, onZoom }: GridProps): JSX.Element {
  const frame = useRef<HTMLDivElement>(null);
  const scroller = useRef<HTMLDivElement>(null);
  const canvas = useRef<HTMLCanvasElement>(null);
  const [widthPx, setWidth] = useState(0);
  const [topPx, setTop] = useState(0);
  const [at, setAt] = useState<number | null>(null);
  const count = cells.of.length;
  const size = cellPx ?? Math.min(fittingSizePx(count, Math.max(widthPx, 1), HEIGHT_MAX_PX), 20);
  const layout = layoutGrid(count, Math.max(widthPx, 1), size);
  const heightPx = Math.min(layout.rows * size, HEIGHT_MAX_PX);
  const colour = colours.value;

  useLayoutEffect(() => {
    const element = frame.current;
    if (element === null) return;
    const look = new ResizeObserver(() => setWidth(element.clientWidth - LABELS_PX - 14));
    look.observe(element);
    return () => look.disconnect();
  }, []);

  const isSeen = canvas.current !== null;
  const palette = useMemo(
    () => (canvas.current === null ? null : paletteOf(cells.states, wanted, canvas.current)),
    [cells.states.join(), wanted === null ? '' : [...wanted].join(), colour, isSeen, widthPx],
  );
  useEffect(() => {
    const element = canvas.current;
    if (element === null || palette === null) return;
    const frameId = requestAnimationFrame(() =>
      drawCells(element, cells, palette, { layout, topPx, widthPx, heightPx, scale: devicePixelRatio }),
    );
    return () => cancelAnimationFrame(frameId);
  }, [cells, version, palette, topPx, widthPx, heightPx, size]);

  const zoom = (by: 1 | -1): void => onZoom(nextSizePx(size, by));
  const show = (index: number): void => {
    setAt(index);
    const { y } = cornerOf(layout, index);
    const element = scroller.current;
    if (element === null) return;
    if (y < element.scrollTop) element.scrollTop = y;
    else if (y + size > element.scrollTop + heightPx) element.scrollTop = y + size - heightPx;
  };
  const onKey = (event: KeyboardEvent): void => {
    if (event.key === 'Enter' && at !== null) go(pathOf({ view: 'index', namespace, name, index: at, attempt: null }));
    else if (event.key === '+' || event.key === '=') zoom(1);
    else if (event.key === '-') zoom(-1);
    else if (event.key === 'Escape') setAt(null);
    else {
      const next = moved(layout, at ?? -1, event.key);
      if (next === null) return;
      show(Math.max(next, 0));
    }
    event.preventDefault();
  };
  const pointed = (event: MouseEvent): number | null => indexAt(layout, event.offsetX, event.offsetY + topPx);

  const every = labelledEvery(layout, LABELS_APART_PX);
  const [from, to] = rowsWithin(layout, topPx, heightPx);
  const labels = Array.from({ length: to - from }, (_, nth) => from + nth).filter((row) => row % every === 0);
  const corner = at === null ? null : cornerOf(layout, at);
  return (
    <div class="grid-frame" ref={frame}>
      <div
        class="grid-scroll"
        ref={scroller}
        style={{ height: `${heightPx}px` }}
        onScroll={({ currentTarget }) => setTop(currentTarget.scrollTop)}
        onWheel={(event) => {
          if (!event.ctrlKey) return;
          event.preventDefault();
          zoom(event.deltaY < 0 ? 1 : -1);
        }}
      >
        <div class="grid-whole" style={{ height: `${layout.rows * size}px` }}>
          <div class="grid-window" style={{ height: `${heightPx}px` }}>
            <div class="grid-labels" aria-hidden="true">
              {labels.map((row) => (
                <span key={row} style={{ top: `${row * size - topPx}px` }}>
                  {row * layout.columns}
                </span>
              ))}
            </div>
            <div
              class="grid-cells"
              role="application"
              tabIndex={0}
              aria-label={`${count} indexes of ${name}: arrow keys move, Enter opens one, plus and minus change the size`}
              style={{ width: `${widthPx}px`, height: `${heightPx}px` }}
              onKeyDown={onKey}
              onMouseMove={(event) => setAt(pointed(event))}
              onMouseLeave={() => setAt(null)}
              onBlur={() => setAt(null)}
              onClick={(event) => {
                const index = pointed(event);
                if (index !== null) go(pathOf({ view: 'index', namespace, name, index, attempt: null }));
              }}
            >
              <canvas ref={canvas} />
              {corner === null || corner.y + size <= topPx || corner.y >= topPx + heightPx ? null : (
                <span
                  class="grid-cursor"
                  style={{
                    left: `${corner.x - 2}px`,
                    top: `${corner.y - topPx - 2}px`,
                    width: `${size + 3}px`,
                    height: `${size + 3}px`,
                  }}
                />
              )}
            </div>
          </div>
        </div>
      </div>
      <div class="grid-foot">
        <CellWords
          namespace={namespace}
          name={name}
          index={at}
          state={at === null ? '' : (cells.states[cells.of[at] ?? 0] ?? '')}
        />
        <div class="grid-tools">
          <button
            type="button"
            class="small quiet"
            onClick={() => zoom(-1)}
            disabled={size <= CELL_SIZES_PX[0]}
            aria-label="Smaller cells"
          >
            −
          </button>
          <button
            type="button"
            class="small quiet"
            onClick={() => zoom(1)}
            disabled={size >= 28}
            aria-label="Larger cells"
          >
            +
          </button>
          <button type="button" class="small quiet" onClick={() => onZoom(null)} disabled={cellPx === null}>
            Fit
          </button>
          <span class="muted">{layout.columns} in a row</span>
        </div>
      </div>
    </div>
  );
}

type CellWordsProps = {
  readonly namespace: string;
  readonly name: string;
  readonly index: number | null;
  readonly state: string;
};

/** What is known of the index under the pointer: its attempts are asked for when the pointer rests. */
function CellWords({ namespace, name, index, state }: CellWordsProps): JSX.Element {
  const [last, setLast] = useState<{ readonly index: number; readonly words: string } | null>(null);
  useEffect(() => {
    if (index === null) return;
    const mine = new AbortController();
    const load = async (): Promise<void> => {
      const path = ofJob(namespace, name, `attempts?which=last&indexes=${index}&limit=1`);
      try {
        const { items } = await askJson<Attempts>(path, { signal: mine.signal });
        setLast({ index, words: wordsOf(items[0]) });
      } catch {
        if (!mine.signal.aborted) setLast({ index, words: '' });
      }
    };
    const timer = setTimeout(() => void load(), ASK_AFTER_MS);
    return () => {
      clearTimeout(timer);
      mine.abort();
    };
  }, [namespace, name, index, state]);
  if (index === null)
    return <p class="cell-words muted">Point at a cell, or press Tab and move with the arrow keys.</p>;
  return (
    <p class="cell-words" aria-live="polite">
      <strong>index {index}</strong> <span class={`swatch cell-${lookOf(state).colour}`} aria-hidden="true" />{' '}
      {lookOf(state).words}
      {last?.index === index && last.words !== '' ? <span class="muted"> · {last.words}</span> : null}
    </p>
  );
}

function wordsOf(attempt: Attempts['items'][number] | undefined): string {
  if (attempt === undefined) return '';
  const [startedMs, stoppedMs] = [msOf(attempt.startedAt), msOf(attempt.stoppedAt)];
  return [
    ...(attempt.item === undefined ? [] : [`item ${attempt.item}`]),
    `attempt ${attempt.attempt}: ${attempt.verdict}`,
    ...(startedMs === null || stoppedMs === null ? [] : [durationWords(stoppedMs - startedMs)]),
  ].join(' · ');
}
