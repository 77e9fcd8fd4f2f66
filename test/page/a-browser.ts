import { existsSync } from 'node:fs';
import { resolve } from 'node:path';
import { type Browser, type BrowserContextOptions, type Page, chromium } from 'playwright-core';

const PLACES = ['/usr/bin/chromium', resolve(import.meta.dirname, '../../.chromium/usr/bin/chromium')];

/** How long the page may take on a busy machine; what it shows comes within a second on an idle one. */
export const PATIENCE_MS = 60_000;

/** Debian's chromium, which `.ci/install-chromium` gets. */
export async function aBrowser(): Promise<Browser> {
  const executablePath = PLACES.find(existsSync);
  if (executablePath === undefined) throw new Error('no chromium here: .ci/install-chromium gets it');
  // As root chromium wants no sandbox; a machine of tests may have a small /dev/shm.
  return chromium.launch({ executablePath, args: ['--no-sandbox', '--disable-dev-shm-usage'] });
}

export type Looked = {
  readonly page: Page;
  /** What went wrong in the page, in the words of the browser: errors, refusals of the policy, and requests to other servers. */
  readonly faults: readonly string[];
  readonly close: () => Promise<void>;
};

/** A window that looks at a server, and remembers what goes wrong in it. */
export async function lookAt(browser: Browser, url: string, options: BrowserContextOptions = {}): Promise<Looked> {
  const context = await browser.newContext({ viewport: { width: 1_440, height: 900 }, baseURL: url, ...options });
  context.setDefaultTimeout(PATIENCE_MS);
  await context.grantPermissions(['clipboard-read', 'clipboard-write'], { origin: url });
  const page = await context.newPage();
  const faults: string[] = [];
  page.on('pageerror', (error) => faults.push(`error: ${error.message}`));
  page.on('console', (message) => {
    // A refusal of the server is the page's to show, and what is not there is not the browser's fault.
    if (message.type() === 'error' && !/Failed to load resource/.test(message.text())) faults.push(message.text());
  });
  page.on('request', (request) => {
    if (!request.url().startsWith(`${url}/`)) faults.push(`asked elsewhere: ${request.url()}`);
  });
  return { page, faults, close: async () => context.close() };
}
