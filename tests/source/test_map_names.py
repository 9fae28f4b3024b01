"""source/map_names: what real files' names say, and what they must not be taken for."""

from pathlib import Path

import pytest

from neuralshade.source.map_names import MapName, is_role, map_name, name_files
from neuralshade.source.map_words import MAPS, NAMES

ARM = MapName(("ao", "roughness", "metallic"))
GLTF = MapName((None, "roughness", "metallic"))
LEFT = MapName(())
MASK_MAP = MapName(("metallic", "ao", None, "gloss"))
ALBEDO, NORMAL, ROUGHNESS, METALLIC, AO = (MapName((name,)) for name in MAPS)
DISPLACEMENT, EMISSIVE, OPACITY, SPECULAR, GLOSS = (
    MapName((name,)) for name in ("displacement", "emissive", "opacity", "specular", "gloss")
)
GL, DX = MapName(("normal",), "opengl"), MapName(("normal",), "directx")

REAL = {
    # ambientCG
    "Bricks102_1K-JPG_Color": ALBEDO,
    "Bricks102_1K-JPG_NormalGL": GL,
    "Bricks102_1K-JPG_NormalDX": DX,
    "Bricks102_1K-JPG_Roughness": ROUGHNESS,
    "Bricks102_1K-JPG_AmbientOcclusion": AO,
    "Bricks102_1K-JPG_Displacement": DISPLACEMENT,
    "Metal053C_2K-PNG_Color": ALBEDO,
    "Metal053C_2K-PNG_Metalness": METALLIC,
    "Leaf001_4K_Opacity": OPACITY,
    "Lava004_1K-JPG_Emission": EMISSIVE,
    # Poly Haven
    "tea_set_01_diff_1k": ALBEDO,
    "tea_set_01_nor_gl_1k": GL,
    "tea_set_01_nor_dx_4k": DX,
    "tea_set_01_arm_1k": ARM,
    "rusty_metal_02_diff_2k": ALBEDO,
    "rusty_metal_02_rough_2k": ROUGHNESS,
    "rusty_metal_02_metal_2k": METALLIC,
    "rusty_metal_02_ao_2k": AO,
    "rusty_metal_02_disp_2k": DISPLACEMENT,
    "rusty_metal_02_spec_2k": SPECULAR,
    "castle_brick_02_red_col_1k": ALBEDO,
    # Substance
    "DefaultMaterial_BaseColor": ALBEDO,
    "DefaultMaterial_Base_color": ALBEDO,
    "DefaultMaterial_Base Color": ALBEDO,
    "DefaultMaterial_Normal": NORMAL,
    "DefaultMaterial_Normal_OpenGL": GL,
    "DefaultMaterial_Normal_DirectX": DX,
    "DefaultMaterial_Metallic": METALLIC,
    "DefaultMaterial_Roughness": ROUGHNESS,
    "DefaultMaterial_Mixed_AO": AO,
    "DefaultMaterial_Ambient_Occlusion": AO,
    "DefaultMaterial_Height": DISPLACEMENT,
    "DefaultMaterial_Emissive": EMISSIVE,
    "DefaultMaterial_OcclusionRoughnessMetallic": ARM,
    "rusty-iron_basecolor": ALBEDO,
    "rusty-iron_ambientOcclusion": AO,
    "wood.1001.BaseColor": ALBEDO,
    # Unreal
    "T_Rock_Basalt_D": ALBEDO,
    "T_Rock_Basalt_BC": ALBEDO,
    "T_Rock_Basalt_N": NORMAL,
    "T_Metal_Plate_N": NORMAL,
    "T_Metal_Plate_N_2K": NORMAL,
    "T_Metal_Plate_D-4K-PNG": ALBEDO,
    "T_Rock_Basalt_R": ROUGHNESS,
    "T_Rock_Basalt_M": METALLIC,
    "T_Rock_Basalt_ORM": ARM,
    "T_Rock_Basalt_AO": AO,
    "T_Rock_Basalt_H": DISPLACEMENT,
    "T_Rock_Basalt_RMA": MapName(("roughness", "metallic", "ao")),
    "T_Rock_Basalt_MRA_2K": MapName(("metallic", "roughness", "ao")),
    # Quixel
    "tfpmdcur_2K_Albedo": ALBEDO,
    "tfpmdcur_2K_Normal_LOD0": NORMAL,
    "tfpmdcur_2K_Roughness": ROUGHNESS,
    "tfpmdcur_2K_AO": AO,
    "tfpmdcur_2K_Displacement": DISPLACEMENT,
    "tfpmdcur_2K_Cavity": MapName(("cavity",)),
    "tfpmdcur_2K_Gloss": GLOSS,
    "tfpmdcur_2K_Bump": MapName(("bump",)),
    "T_tfpmdcur_2K_D": ALBEDO,
    "T_tfpmdcur_2K_ORDp": MapName(("ao", "roughness", "displacement")),
    # Poliigon
    "WoodFlooring041_COL_3K": ALBEDO,
    "WoodFlooring041_NRM16_3K": NORMAL,
    "WoodFlooring041_DISP16_3K": DISPLACEMENT,
    "WoodFlooring041_GLOSS_3K": GLOSS,
    "WoodFlooring041_REFL_3K": SPECULAR,
    "WoodFlooring041_METALNESS_3K": METALLIC,
    # words and "map"
    "rock_diffusemap": ALBEDO,
    "rock_heightmap": DISPLACEMENT,
    "rock_HeightMap": DISPLACEMENT,
    "rock_height_map": DISPLACEMENT,
    "rock_roughnessmap": ROUGHNESS,
    "rock_metallicmap": METALLIC,
    "rock_aomap": AO,
    "rock_specularmap": SPECULAR,
    "rock_opacitymap": OPACITY,
    "rock_glossmap": GLOSS,
    "rock_bumpmap": MapName(("bump",)),
    # several maps in one
    "rock_MRAO": MapName(("metallic", "roughness", "ao")),
    "rock_RMAO": MapName(("roughness", "metallic", "ao")),
    "rock_AORM": ARM,
    "rock_ORMH": MapName(("ao", "roughness", "metallic", "displacement")),
    "rock_MRAH": MapName(("metallic", "roughness", "ao", "displacement")),
    "rock_rough_ao_2k": MapName(("ao", "roughness", None)),
    "rock_ao_rough": MapName(("ao", "roughness", None)),
    "rock_occlusion_roughness_metallic": ARM,
    "rock-Occlusion-Roughness-Metallic": ARM,
    "rock_ao_rough_metal": ARM,
    "rock_ambient_occlusion_rough_metal": ARM,
    "rock_roughness_metallic_ao": MapName(("roughness", "metallic", "ao")),
    "rock_metallic_roughness": GLTF,
    "rusty_metal_rough": ROUGHNESS,
    "leaf_Albedo_Alpha": MapName(("albedo",), alpha="opacity"),
    "leaf_base_color_opacity": MapName(("albedo",), alpha="opacity"),
    "x_SpecularGlossiness": MapName(("specular",), alpha="gloss"),
    "x_specular_gloss": MapName(("specular",), alpha="gloss"),
    # Unreal 5
    "T_x_4K_B": ALBEDO,
    # other spaces than the tangents', and masks of what lies on a surface
    "lp_World_Space_Normal": LEFT,
    "lp_WorldSpaceNormals": LEFT,
    "lp_Normal_WS": LEFT,
    "lp_normal_object_space": LEFT,
    "lp_BentNormal": LEFT,
    "rock_dirt_mask": LEFT,
    "rock_DirtMask": LEFT,
    "rock_EdgeWearMask": LEFT,
    "leaf_mask": OPACITY,
    # glTF, Unity and others
    "Default_albedo": ALBEDO,
    "Default_metalRoughness": GLTF,
    "helmet_RoughnessMetallic": GLTF,
    "Rock_MetallicSmoothness": MapName(("metallic", None, None, "gloss")),
    "Rock_metallic_smoothness": MapName(("metallic", None, None, "gloss")),
    "Rock_AlbedoTransparency": MapName(("albedo",), alpha="opacity"),
    "Rock_AlbedoSmoothness": MapName(("albedo",), alpha="gloss"),
    "Rock_SpecularSmoothness": MapName(("specular",), alpha="gloss"),
    "Rock_MaskMap": MASK_MAP,
    "rock_mask_map": MASK_MAP,
    "RockMaskMap": MASK_MAP,
    "Rock_MADS": MASK_MAP,
    "Rock_BaseMap": ALBEDO,
    "rock_base_map": ALBEDO,
    "T_Rock_MainTex": ALBEDO,
    "Rock_NormalDirectX_4K": DX,
    "RockNormalDirectX_4K": DX,
    "RockNormalOpenGL": GL,
    "Rock_NRM": NORMAL,
    "rock-normal-ogl": GL,
    "ROCK_NORMAL_DX": DX,
    "rock_normalgl": GL,
    "rock_nordx": DX,
    "rock_gl_normal": GL,
    "normal_dx_tangent_2048x2048": DX,
    "rock_specular_color": SPECULAR,
    "rock_emissive_color": EMISSIVE,
    "clearcoat_roughness": LEFT,
    "clearcoat_color": LEFT,
    "fuzz_gloss": GLOSS,
    "leaf_opacity_mask": OPACITY,
    "leaf_alpha": OPACITY,
    "rock_emissive_mask": LEFT,
    "rock_roughness_mask": LEFT,
    "T_Lamp_E": EMISSIVE,
    "leaf_translucency": MapName(("translucency",)),
    "rock_thumb": LEFT,
    "rock_color_preview": LEFT,
    "rock_id": LEFT,
    "normal": NORMAL,
    "albedo": ALBEDO,
}


@pytest.mark.parametrize("stem", REAL)
def test_real_names(stem):
    assert map_name(stem) == REAL[stem]


@pytest.mark.parametrize(
    "stem", ["rock_normal_gl", "Rock-Base-Color", "rock_ao", "rock.rough", "rock_orm", "T_Rock_N"]
)
def test_case_does_not_matter(stem):
    assert map_name(stem.upper()) == map_name(stem.lower()) == map_name(stem)


@pytest.mark.parametrize(
    "stem",
    ["", "preview_", "abnormal", "armchair", "colors", "diffuser", "chaos", "1k", "T_N_old", "n",
     "roughly_x", "orma", "gl", "---"],
)  # fmt: skip
def test_names_that_say_nothing(stem):
    name = map_name(stem)
    assert name is None or name == LEFT
    assert (name == LEFT) == (stem == "preview_")


def named(*names):
    return {path.name: name for path, name in name_files([Path(n) for n in names]).items()}


def test_the_material_s_name_is_no_map():
    assert named(
        "corrugated_metal.png",
        "corrugated_metal_sphere.png",
        "corrugated_metal_diff_1k.png",
        "corrugated_metal_rough_1k.png",
    ) == {
        "corrugated_metal.png": None,
        "corrugated_metal_sphere.png": None,
        "corrugated_metal_diff_1k.png": ALBEDO,
        "corrugated_metal_rough_1k.png": ROUGHNESS,
    }
    assert named("albedo_rough_wood.png", "normal_rough_wood.png", "notes.png") == {
        "albedo_rough_wood.png": ALBEDO,
        "normal_rough_wood.png": NORMAL,
        "notes.png": None,
    }
    assert named("Metal053C.png", "Metal053C_1K_Color.png", "Metal053C_1K_NormalGL.png") == {
        "Metal053C.png": None,
        "Metal053C_1K_Color.png": ALBEDO,
        "Metal053C_1K_NormalGL.png": GL,
    }


def test_words_that_all_share_count_where_nothing_else_tells():
    assert named("normal_gl.png", "normal_dx.png") == {"normal_gl.png": GL, "normal_dx.png": DX}
    assert named("albedo.png", "albedo_2.png") == {"albedo.png": ALBEDO, "albedo_2.png": ALBEDO}
    assert named("albedo.png") == {"albedo.png": ALBEDO}
    assert named() == {}


def test_equal_names_keep_their_own_words():
    """Two resolutions of one map are two files for it, not the material's name."""
    found = named("rock_diff_1k.png", "rock_diff_2k.png", "rock_rough_1k.png")
    assert found["rock_diff_1k.png"] == found["rock_diff_2k.png"] == ALBEDO


def test_a_mask_is_the_opacity_where_what_stands_before_it_is_the_material():
    found = named("leaf_albedo.png", "leaf_mask.png", "leaf_slug_mask.png", "preview.png")
    assert found["leaf_mask.png"] == OPACITY and found["leaf_slug_mask.png"] == LEFT
    found = named("leaf_albedo.png", "leaf_rough.png", "leaf_opacity_mask.png")
    assert found["leaf_opacity_mask.png"] == OPACITY


def test_two_maps_tell_what_the_material_is_called():
    """But for mip levels, only two of those that they are made of."""
    paths = [Path("metal_mask_disp.png"), Path("metal_mask_color.png"), Path("metal_mask.png")]
    every = name_files(paths, NAMES)
    assert list(every.values()) == [DISPLACEMENT, ALBEDO, None]
    assert list(name_files(paths).values()) == [DISPLACEMENT, ALBEDO, LEFT]


def test_roles():
    assert is_role("Base_Color_2k") and not is_role("moss_albedo")
    assert is_role("height", NAMES) and not is_role("height")
