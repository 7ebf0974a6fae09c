import { lazy, Suspense, useEffect, useState, type ComponentType, type ReactNode } from 'react';

/**
 * A dialog whose code comes when it is first opened, and that stays from then on, so that closing can be seen. While
 * the browser has nothing else to do, the code is fetched ahead. Its first render is a closed one (`closed` says what
 * that is): a dialog that sees itself open knows where the focus was, and can give it back.
 */
export function onceOpened<P extends object>(
  load: () => Promise<ComponentType<P>>,
  isOpened: (props: P) => boolean,
  closed: Partial<P>,
): (props: P) => ReactNode {
  const Dialog = lazy(async () => ({ default: await load() })) as unknown as ComponentType<P>;
  let ahead = false;
  return function OnceOpened(props) {
    const [wanted, setWanted] = useState(false);
    const [ready, setReady] = useState(false);
    useEffect(() => {
      if (ahead) return;
      ahead = true;
      whenIdle(() => void load().catch(() => (ahead = false)));
    }, []);
    if (!wanted && isOpened(props)) setWanted(true);
    return wanted ? (
      <Suspense fallback={null}>
        <Dialog {...(ready ? props : { ...props, ...closed })} />
        <WhenLoaded then={setReady} />
      </Suspense>
    ) : null;
  };
}

/** Its effect runs once what stands beside it has come. */
function WhenLoaded({ then }: { then: (loaded: true) => void }): ReactNode {
  useEffect(() => then(true), [then]);
  return null;
}

const AHEAD_MS = 1_500;

const whenIdle = (work: () => void): void =>
  void setTimeout(() => ('requestIdleCallback' in globalThis ? requestIdleCallback(work) : work()), AHEAD_MS);
