import { BaseSequencer, type TestSpecification } from 'vitest/node'

/** The longest begin first: a file that takes minutes and begins last is waited for by itself. Vitest goes by size where it never ran. */
export class LongestFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const isLong = ({ moduleId }: TestSpecification) => /\.proof\.test\.ts$/.test(moduleId)
    const sorted = await super.sort(files)
    return [...sorted.filter(isLong), ...sorted.filter((file) => !isLong(file))]
  }
}
