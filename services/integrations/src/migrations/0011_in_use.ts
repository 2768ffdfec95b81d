/** Connections that are in use are few, and looked at often. */
export const indexes = {
  connections_in_use: "on connections (last_call_at) where state in ('connected', 'degraded')",
}
