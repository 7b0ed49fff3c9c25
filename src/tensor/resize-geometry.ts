/** Which part of a source image each pixel of a network image shows, and the way back for boxes. */
import type { InputParameters } from '../config/schema.js';

export interface Size {
  readonly width: number;
  readonly height: number;
}

/** Coordinates are continuous: pixel i covers [i, i + 1), its centre is i + 0.5. */
export interface ResizeGeometry {
  readonly source: Size;
  readonly target: Size;
  /** The part of the target that shows the source; the rest are bars. */
  readonly content: Size & { readonly left: number; readonly top: number };
  /** Source pixels per target pixel. */
  readonly scaleX: number;
  readonly scaleY: number;
  /** Source coordinates of the content's upper left corner. */
  readonly originX: number;
  readonly originY: number;
}

/** stretch: each side for itself · letterbox: the whole image, centred, with bars · crop: its middle, without bars. */
export function resizeGeometry(source: Size, target: Size, resize: InputParameters['resize']): ResizeGeometry {
  const ratioX = source.width / target.width;
  const ratioY = source.height / target.height;
  const whole = { ...target, left: 0, top: 0 };
  switch (resize) {
    case 'stretch':
      return { source, target, content: whole, scaleX: ratioX, scaleY: ratioY, originX: 0, originY: 0 };
    case 'crop': {
      const scale = Math.min(ratioX, ratioY);
      const originX = (source.width - target.width * scale) / 2;
      const originY = (source.height - target.height * scale) / 2;
      return { source, target, content: whole, scaleX: scale, scaleY: scale, originX, originY };
    }
    case 'letterbox': {
      const scale = Math.max(ratioX, ratioY);
      const width = Math.max(1, Math.round(source.width / scale));
      const height = Math.max(1, Math.round(source.height / scale));
      const left = Math.floor((target.width - width) / 2);
      const top = Math.floor((target.height - height) / 2);
      const content = { width, height, left, top };
      return { source, target, content, scaleX: source.width / width, scaleY: source.height / height, originX: 0, originY: 0 };
    }
  }
}

/** A target coordinate in source pixels; outside the source where the target shows a bar. */
export function sourceX(geometry: ResizeGeometry, x: number): number {
  return geometry.originX + (x - geometry.content.left) * geometry.scaleX;
}

export function sourceY(geometry: ResizeGeometry, y: number): number {
  return geometry.originY + (y - geometry.content.top) * geometry.scaleY;
}

/** Every target pixel is exactly one source pixel: nothing need be interpolated. */
export function isUnscaled(geometry: ResizeGeometry): boolean {
  return geometry.scaleX === 1 && geometry.scaleY === 1 && Number.isInteger(geometry.originX) && Number.isInteger(geometry.originY);
}
