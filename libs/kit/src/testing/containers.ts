/** Starts a test server on a machine that has Docker and not the program. testcontainers removes what a killed run left behind. */
export type Contained = { begin(): Promise<void>; kill(): Promise<void>; remove(): Promise<void> }

/** As compose.prod.yml names them. */
export const images = { 'nats-server': 'nats:2.12-alpine', 'redis-server': 'redis:8-alpine', minio: 'minio/minio' } as const

/** Why this image cannot run here, or null. It is fetched where it is not there yet. */
export async function whyNoContainer(program: keyof typeof images): Promise<string | null> {
  const { getContainerRuntimeClient, ImageName } = await import('testcontainers')
  try {
    const { image } = await getContainerRuntimeClient()
    const name = ImageName.fromString(images[program])
    if (!(await image.exists(name))) await image.pull(name)
    return null
  } catch (error) {
    return /runtime strategy/.test((error as Error).message) ? 'no Docker answers' : `Docker has no ${images[program]}`
  }
}

type Recipe = { program: keyof typeof images; port: number; inside?: number; args: string[]; env?: Record<string, string> }

/** A kill leaves what it kept, and the next begin finds it; after a removal it begins with nothing. Always the same port of this machine. */
export function contain({ program, port, inside = port, args, env = {} }: Recipe): Contained {
  let id: string | null = null
  async function container() {
    const { getContainerRuntimeClient } = await import('testcontainers')
    return (await getContainerRuntimeClient()).container.getById(id!)
  }
  return {
    async begin() {
      if (id) return void (await (await container()).start())
      const { GenericContainer } = await import('testcontainers')
      const image = new GenericContainer(images[program]).withEnvironment(env).withCommand(args)
      id = (await image.withExposedPorts({ container: inside, host: port }).start()).getId()
    },
    kill: async () => void (await (await container()).kill()),
    async remove() {
      if (id) await (await container()).remove({ force: true, v: true })
      id = null
    },
  }
}
