/**
 * Limits the memory of this node that one kind of work uses for large data. Organizations share the memory, and one
 * organization never gets all of it.
 */
export type SharedMemory = {
  open(orgId: string): ReservedMemory;
};
export type ReservedMemory = {
  /** Returns false if not enough memory is left for the given bytes. */
  take(bytes: number): boolean;
  /** Releases all taken bytes. A second call has no effect. */
  release(): void;
};

export function createSharedMemory({ most, ofOrganization }: { most: number; ofOrganization: number }): SharedMemory {
  const byOrganization = new Map<string, number>();
  let all = 0;
  return {
    open(orgId) {
      let used = 0;
      return {
        take(bytes) {
          const its = (byOrganization.get(orgId) ?? 0) + bytes;
          if (its > ofOrganization || all + bytes > most) return false;
          byOrganization.set(orgId, its);
          all += bytes;
          used += bytes;
          return true;
        },
        release() {
          const rest = (byOrganization.get(orgId) ?? 0) - used;
          if (rest > 0) byOrganization.set(orgId, rest);
          else byOrganization.delete(orgId);
          all -= used;
          used = 0;
        },
      };
    },
  };
}
