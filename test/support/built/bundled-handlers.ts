import { existsSync, readFileSync } from 'node:fs';
import path from 'node:path';
import * as z from 'zod';

/** Paths of ES modules. */
export type BundledHandlers = Readonly<Record<'api' | 'reconcile' | 'dispatch' | 'sweep' | 'submit', string>> & {
  /** Only where callers send tokens. */
  readonly authorizer?: string;
};

const ManifestSchema = z.object({
  artifacts: z.record(
    z.string(),
    z.object({
      type: z.string(),
      properties: z.object({ templateFile: z.string().optional(), file: z.string().optional() }).optional(),
    }),
  ),
});

const TemplateSchema = z.object({
  Resources: z.record(
    z.string(),
    z.object({ Metadata: z.record(z.string(), z.unknown()).optional(), Properties: z.unknown() }),
  ),
});

const CodeSchema = z.object({ Code: z.object({ S3Key: z.string() }) });

const AssetsSchema = z.object({ files: z.record(z.string(), z.object({ source: z.object({ path: z.string() }) })) });

/**
 * The modules that `npm run synth` bundled, one a function, by handler: what Lambda would run, each exporting
 * `handler`. `cdkOut` is the folder that synth wrote. Found by what the template says: the function's metadata names the
 * handler, its code's key names the asset.
 */
export function bundledHandlers(cdkOut: string): BundledHandlers {
  const read = <T>(schema: z.ZodType<T>, file: string): T =>
    schema.parse(JSON.parse(readFileSync(path.join(cdkOut, file), 'utf8')));
  const artifacts = Object.values(read(ManifestSchema, 'manifest.json').artifacts);
  const templates = artifacts.flatMap(({ properties }) => properties?.templateFile ?? []);
  const assets = artifacts.flatMap(({ type, properties: { file } = {} }) =>
    type === 'cdk:asset-manifest' && file !== undefined ? Object.entries(read(AssetsSchema, file).files) : [],
  );
  const functions = templates.flatMap((file) => Object.values(read(TemplateSchema, file).Resources));

  const functionOf = (handler: string) => functions.find(({ Metadata }) => Metadata?.['muster:handler'] === handler);
  const entry = (handler: keyof BundledHandlers): string => {
    const found = functionOf(handler);
    if (found === undefined) throw new Error(`no function in ${cdkOut} runs ${handler}`);
    const { S3Key: key } = CodeSchema.parse(found.Properties).Code;
    const asset = assets.find(([hash]) => key.startsWith(hash));
    if (asset === undefined) throw new Error(`${handler} has no asset ${key} in ${cdkOut}`);
    const module = path.resolve(cdkOut, asset[1].source.path, 'index.mjs');
    if (!existsSync(module)) throw new Error(`${handler} was not bundled: ${module} is not there`);
    return module;
  };

  return {
    api: entry('api'),
    reconcile: entry('reconcile'),
    dispatch: entry('dispatch'),
    sweep: entry('sweep'),
    submit: entry('submit'),
    ...(functionOf('authorizer') === undefined ? {} : { authorizer: entry('authorizer') }),
  };
}
