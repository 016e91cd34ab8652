/** How long a node's lease lasts, by the database's clock. */
export const LEASE_MS = 10_000;

/** How often it is renewed: two renewals may be lost before it is over. */
export function renewEvery(lengthMs: number): number {
  return Math.round(lengthMs * 0.3);
}

/** A node's own view of its lease, in milliseconds of a clock that nobody sets. */
export interface Lease {
  lengthMs: number;
  /** When the newest renewal that succeeded was sent: the database's lease began then or later, so it ends no earlier than this one. */
  renewedAt: number;
  /** Since when renewals have succeeded, none failing and none late. Undefined after a failure, until the next success. */
  unbrokenSince: number | undefined;
}

export function newLease(at: number, lengthMs: number): Lease {
  return { lengthMs, renewedAt: at, unbrokenSince: at };
}

/** Whether the node must act as if others had taken its sessions. */
export function isOver({ renewedAt, lengthMs }: Lease, now: number): boolean {
  return now - renewedAt >= lengthMs;
}

/** A renewal that was sent at a time has succeeded. */
export function renewed(lease: Lease, sentAt: number): Lease {
  // A process that was stopped has no failed renewals to show, but it was as deaf as one that was cut off.
  const unbroken = lease.unbrokenSince !== undefined && !isOver(lease, sentAt);
  return { ...lease, renewedAt: sentAt, unbrokenSince: unbroken ? lease.unbrokenSince : sentAt };
}

export function failed(lease: Lease): Lease {
  return { ...lease, unbrokenSince: undefined };
}

/**
 * Whether the node may declare others dead. One that was itself cut off within the length of a lease may not: after an
 * outage of the database all leases are over, and their nodes need the time to renew them.
 */
export function mayDeclare(lease: Lease, now: number): boolean {
  const { unbrokenSince, lengthMs } = lease;
  return unbrokenSince !== undefined && now - unbrokenSince >= lengthMs && !isOver(lease, now);
}
