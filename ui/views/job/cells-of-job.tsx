import type { JSX } from 'preact';
import { useEffect, useRef, useState } from 'preact/hooks';
import { askJson, wordsOf } from '../../api/client.ts';
import { pacedCalls } from '../../api/paced-calls.ts';
import { ofJob } from '../../api/paths.ts';
import type { GridAnswer } from '../../model/answers.ts';
import { inLegendOrder, lookOf } from '../../model/cell-looks.ts';
import { type Cells, countCells, indexesIn, withAnswer } from '../../model/cells.ts';
import { numberWords } from '../../model/job-row.ts';
import { pathOf } from '../../model/route.ts';
import { Grid } from '../../parts/grid.tsx';
import { query, setQuery } from '../../parts/location.ts';
import { Fault } from '../../parts/states.tsx';

const GRID_EVERY_MS = 1_000;
const NAMED_MAX = 60;

type CellsProps = { readonly namespace: string; readonly name: string; readonly version: string };

/** The indexes of a Job: a legend that also filters, the grid, and the indexes that are looked for by name. */
export function CellsOfJob({ namespace, name, version }: CellsProps): JSX.Element {
  const { cells, writes, fault } = useCells({ namespace, name, version });
  const words = query.value;
  const chosen = new Set(
    words
      .get('show')
      ?.split(',')
      .filter((state) => state !== '') ?? [],
  );
  const zoom = Number(words.get('zoom') ?? Number.NaN);
  if (fault !== null && cells === null) return <Fault title="The indexes cannot be read." why={fault} />;
  if (cells === null) return <p class="loading">Reading the indexes…</p>;
  const counts = countCells(cells);
  const states = inLegendOrder(cells.states).filter((state) => (counts.get(state) ?? 0) > 0 || chosen.has(state));
  const toggle = (state: string): void => {
    const next = new Set(chosen);
    if (!next.delete(state)) next.add(state);
    setQuery({ show: [...next].join(',') });
  };
  return (
    <>
      <div class="legend" role="group" aria-label="States of indexes: choose some to see only them">
        {states.map((state) => {
          const { colour, letter, words: said } = lookOf(state);
          return (
            <button
              key={state}
              type="button"
              class="chip"
              aria-pressed={chosen.has(state)}
              onClick={() => toggle(state)}
            >
              <span class={`swatch cell-${colour}`} aria-hidden="true">
                {letter}
              </span>
              {said} <span class="chip-count">{numberWords(counts.get(state) ?? 0)}</span>
            </button>
          );
        })}
      </div>
      <Grid
        namespace={namespace}
        name={name}
        cells={cells}
        version={writes}
        wanted={chosen.size === 0 ? null : chosen}
        cellPx={Number.isNaN(zoom) || zoom < 1 ? null : zoom}
        onZoom={(cellPx) => setQuery({ zoom: cellPx === null ? null : String(cellPx) })}
      />
      {chosen.size === 0 ? null : <Named namespace={namespace} name={name} cells={cells} chosen={chosen} />}
    </>
  );
}

type NamedProps = {
  readonly namespace: string;
  readonly name: string;
  readonly cells: Cells;
  readonly chosen: ReadonlySet<string>;
};

function Named({ namespace, name, cells, chosen }: NamedProps): JSX.Element {
  const indexes = indexesIn(cells, chosen, NAMED_MAX + 1);
  return (
    <p class="named">
      {indexes.length === 0 ? <span class="muted">None now.</span> : null}
      {indexes.slice(0, NAMED_MAX).map((index) => (
        <a key={index} href={pathOf({ view: 'index', namespace, name, index, attempt: null })}>
          {index}
        </a>
      ))}
      {indexes.length > NAMED_MAX ? <span class="muted">and more</span> : null}
    </p>
  );
}

type Known = { readonly cells: Cells | null; readonly writes: number; readonly fault: string | null };

/** The cells, and only what has changed of them, whenever the Job changes, at most once a second. */
function useCells({ namespace, name, version }: CellsProps): Known {
  const [known, setKnown] = useState<Known>({ cells: null, writes: 0, fault: null });
  const again = useRef<(() => void) | null>(null);
  useEffect(() => {
    let cells: Cells | null = null;
    const paced = pacedCalls(GRID_EVERY_MS, async (aborted) => {
      const since = cells === null ? '' : `?since=${encodeURIComponent(cells.cursor)}`;
      try {
        cells = withAnswer(
          cells,
          await askJson<GridAnswer>(ofJob(namespace, name, `grid${since}`), { signal: aborted }),
        );
        const next = cells;
        setKnown(({ writes }) => ({ cells: next, writes: writes + 1, fault: null }));
      } catch (error) {
        if (!aborted.aborted) setKnown((before) => ({ ...before, fault: wordsOf(error) }));
      }
    });
    again.current = paced.call;
    return paced.stop;
  }, [namespace, name]);
  useEffect(() => again.current?.(), [namespace, name, version]);
  return known;
}
