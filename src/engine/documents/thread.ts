import { parentPort } from 'node:worker_threads';
import robotsModule from 'robots-parser';
import { DocumentFault } from './document-fault.ts';
import { readFileAsText } from './read-document.ts';
import { readSitemap } from './read-sitemap.ts';
import { pageAddress } from '../../kernel/page-address.ts';
import type { Answers, Done, ReadPage, RobotsSay, Task } from './thread-messages.ts';

/** This thread reads the files of strangers. The file `read-files.ts` starts, limits and ends the thread. */
const port = parentPort!;
/** The types of the package declare the function as a member of the module, but the module is the function. */
const parseRobots = robotsModule as unknown as typeof robotsModule.default;

port.on('message', (task: Task) => void work(task));

async function work(task: Task): Promise<void> {
  port.postMessage(await doneOf(task));
}

async function doneOf(task: Task): Promise<Done> {
  try {
    return { ok: await answerOf(task) };
  } catch (error) {
    if (error instanceof DocumentFault) return { fault: { code: error.code, detail: error.message } };
    return { error: error instanceof Error ? (error.stack ?? error.message) : String(error) };
  }
}

async function answerOf(task: Task): Promise<Answers[keyof Answers]> {
  if (task.kind === 'file') return readFileAsText(task.bytes, task.hints);
  return task.kind === 'page' ? readPage(task) : askRobots(task);
}

async function readPage({ bytes, url, contentType }: Task & { kind: 'page' }): Promise<ReadPage> {
  const read = await readFileAsText(bytes, { contentType, name: new URL(url).pathname });
  const sitemap = read.kind === 'xml' ? readSitemap(read.text) : null;
  const whole = (addresses: readonly string[]): string[] => [
    ...new Set(addresses.map((address) => pageAddress(address, url)).filter((address) => address !== null)),
  ];
  return {
    title: read.title,
    text: sitemap ? '' : read.text,
    canonical: read.canonical ? pageAddress(read.canonical, url) : null,
    links: whole(read.links ?? []),
    sitemap: sitemap && { pages: whole(sitemap.pages), sitemaps: whole(sitemap.sitemaps) },
  };
}

function askRobots({ text, robotsUrl, url, agent }: Task & { kind: 'robots' }): RobotsSay {
  const rules = parseRobots(robotsUrl, text);
  return {
    allowed: rules.isAllowed(url, agent) !== false,
    delaySeconds: Math.max(0, rules.getCrawlDelay(agent) || 0),
  };
}
