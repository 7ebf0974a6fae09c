/** The server writes at least every 15 seconds: after a longer silence the connection is lost. */
const IDLE_MS = 45_000;

type StreamEvent = { event: string; id: string; data: unknown };

/** Server-sent events of a response. `EventSource` cannot send the header Authorization. */
export async function* readEvents({ body }: Response): AsyncGenerator<StreamEvent, void, void> {
  const reader = body!.getReader();
  const decoder = new TextDecoder();
  const giveUp = (): void => void reader.cancel().catch(() => {});
  let text = '';
  let timer = setTimeout(giveUp, IDLE_MS);
  try {
    for (;;) {
      // A broken connection ends the stream, and the caller connects again.
      const chunk = await reader.read().catch(() => null);
      clearTimeout(timer);
      if (!chunk || chunk.done) return;
      timer = setTimeout(giveUp, IDLE_MS);
      text += decoder.decode(chunk.value, { stream: true });
      const blocks = text.split('\n\n');
      text = blocks.pop()!;
      for (const block of blocks) {
        const field = (name: string): string =>
          block
            .split('\n')
            .find((line) => line.startsWith(`${name}: `))
            ?.slice(name.length + 2) ?? '';
        const data = field('data');
        if (data !== '') yield { event: field('event'), id: field('id'), data: JSON.parse(data) as unknown };
      }
    }
  } finally {
    clearTimeout(timer);
    giveUp();
  }
}
