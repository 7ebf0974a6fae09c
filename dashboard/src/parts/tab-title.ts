import { useEffect } from 'react';

/** The browser's tab names the page, after the number of conversations that wait. */
let title = 'Parley';
let waiting = '';

const write = (): void => {
  document.title = waiting === '' ? title : `(${waiting}) ${title}`;
};

export function useTabTitle(named: string): void {
  useEffect(() => {
    title = named;
    write();
  }, [named]);
}

/** Empty: nothing waits. */
export function useTabCount(count: string): void {
  useEffect(() => {
    waiting = count;
    write();
    return () => {
      waiting = '';
      write();
    };
  }, [count]);
}
