function properties(columns, textures) {
    if (!entries.maps) return { map: textures[0] };
    const of = (map) => textures[columns.findIndex((one) => one.maps.includes(map))];
    const found = {
        albedo: { map: of('albedo') },
        opacity: { map: of('opacity'), transparent: true }, // the alpha of the same texture
        normal: { normalMap: of('normal') },
        ao: { aoMap: of('ao') },
        roughness: { roughnessMap: of('roughness'), roughness: 1 },
        metallic: { metalnessMap: of('metallic'), metalness: 1 },
        emissive: { emissiveMap: of('emissive'), emissive: 0xffffff },
    };
    return Object.assign({}, ...asset.maps.map((map) => found[map] ?? {}));
}
