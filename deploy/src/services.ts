import { type ServiceName, serviceNames } from '@operon/contracts/services'
import { GatewaySettings } from '@operon/gateway/settings'
import { type Env, isServiceName, KitConfig, readEnv, readKitConfig, SetupError, sandboxIsOpen } from '@operon/kit/config'
import { refuseOwnStores } from '@operon/kit/joining'
import type { ServiceDefinition } from '@operon/kit/service'
import type { z } from 'zod'

/** Every service's module exports one definition: the value that the kit can run. */
async function loadDefinition(name: ServiceName): Promise<ServiceDefinition> {
  const module: Record<string, unknown> = await import(`@operon/${name}/service`)
  const definition = Object.values(module).find((value) => typeof (value as ServiceDefinition)?.setup === 'function')
  if (!definition) throw new Error(`services/${name}/src/service.ts exports no service definition`)
  return definition as ServiceDefinition
}

export const loadDefinitions = (names: readonly ServiceName[] = serviceNames) => Promise.all(names.map(loadDefinition))

/** `SERVICES=identity,billing` runs only those; all of them otherwise, without the sandbox where real people may come. */
export function chosenServices(env: Env): readonly ServiceName[] {
  const { SERVICES } = env
  if (!SERVICES) return sandboxIsOpen(env) ? serviceNames : serviceNames.filter((name) => name !== 'sandbox')
  const names = SERVICES.split(',').map((name) => name.trim())
  const unknown = names.filter((name) => !isServiceName(name))
  if (unknown.length) throw new SetupError(`SERVICES: there is no service ${unknown.join(', ')}; there are ${serviceNames.join(', ')}`)
  return names as ServiceName[]
}

/** Reads every schema against the environment before anything starts, and says all that is wrong at once. */
export function checkEnv(env: Env, definitions: ServiceDefinition[]): ReturnType<typeof readKitConfig> {
  const problems = new Set<string>()
  const schemas = [KitConfig, GatewaySettings, ...definitions.map((definition) => definition.config)]
  const checks = [
    ...schemas.map((schema) => () => void readEnv(schema, env)),
    () => refuseOwnStores(readKitConfig(env), ['STORAGE_URL', 'CACHE_URL']),
  ]
  for (const check of checks) {
    try {
      check()
    } catch (error) {
      if (!(error instanceof SetupError)) throw error
      for (const line of error.message.split('\n')) problems.add(line)
    }
  }
  if (problems.size) throw new SetupError(['These settings are wrong:', ...[...problems].map((line) => `  ${line}`)].join('\n'))
  return readKitConfig(env)
}

/** The name of every variable that some part of the fleet reads. */
export async function knownVariables(): Promise<Set<string>> {
  const schemas = [KitConfig, GatewaySettings, ...(await loadDefinitions()).map((definition) => definition.config)]
  const upper = serviceNames.map((name) => name.toUpperCase().replaceAll('-', '_'))
  return new Set([
    ...schemas.flatMap(namesIn),
    ...upper.flatMap((name) => [`UPSTREAM_${name}`, `DATABASE_URL_${name}`]),
    'LISTEN',
    'FLEET_ADDRESS',
    'FLEET_PORT',
    'WEB_DIST',
  ])
}

/** A refined or transformed object hides its fields one step further in. */
export function namesIn(schema: z.ZodType): string[] {
  const { shape, in: inner } = schema as { shape?: object; in?: z.ZodType }
  return shape ? Object.keys(shape) : inner ? namesIn(inner) : []
}
