import { z } from 'zod'

/** The sandbox's own settings; the kit's stand in the kit. */
export const SandboxConfig = z.object({
  /** How the other services reach the stand-ins. Anything but a loopback address binds to every interface. */
  SANDBOX_HOST: z.string().default('127.0.0.1'),
  /** Fixed ports from here on, one a provider; without it each keeps the free port it found first. */
  SANDBOX_PORT_BASE: z.coerce.number().int().min(1024).max(65000).optional(),
  SANDBOX_SEED: z.string().optional(),
  /** Milliseconds between two chunks of a model's answer. */
  SANDBOX_MODEL_PACE_MS: z.coerce.number().int().min(0).max(1000).default(12),
})
export type SandboxConfig = z.output<typeof SandboxConfig>
